//! Names of models, tasks, dimensions and labels: strings that cannot be mistaken for one another.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                $name(name.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(name: String) -> Self {
                $name(name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
    };
}

name! {
    /// The model, or any other maker of applications, that a leaderboard ranks.
    ModelName
}
name! {
    /// A requirement, query or session that several models answered.
    TaskName
}
name! {
    /// One scored quality, such as `usability`.
    DimensionName
}
name! {
    /// A class of tasks, such as a category or a level of difficulty.
    Label
}

/// One application: what a model made for a task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Application {
    /// What was asked for.
    pub task: TaskName,
    /// Who made it.
    pub model: ModelName,
}

impl Application {
    /// The application that `model` made for `task`.
    pub fn new(model: impl Into<ModelName>, task: impl Into<TaskName>) -> Self {
        Application { task: task.into(), model: model.into() }
    }
}
