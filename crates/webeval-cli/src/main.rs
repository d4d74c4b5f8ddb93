//! The `webeval` command: tells how good a web application is, with evidence.

mod args;
mod commands;
mod failure;
mod files;
mod model;
mod output;
mod page;
mod pipeline;
mod plain;
mod progress;
mod requirement;
mod scores;
mod stage;
mod tables;

use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    end_with_the_reader();
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_env("WEBEVAL_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().init();
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("webeval: {failure}");
            failure.exit_code()
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::failed)?;
    runtime.block_on(async {
        match command {
            Command::Run(args) => commands::run::run(args).await,
            Command::Deploy(args) => commands::deploy::run(args).await,
            Command::Instrument(args) => commands::instrument::run(&args),
            Command::Explore(args) => commands::explore::run(args).await,
            Command::Replay(args) => commands::replay::run(args).await,
            Command::States(args) => commands::states::run(&args),
            Command::Judge(args) => commands::judge::run(args).await,
            Command::Checklist(args) => commands::checklist::run(args).await,
            Command::Evaluators(args) => commands::evaluators::run(&args),
            Command::Generate(args) => commands::generate::run(args).await,
            Command::Refine(args) => commands::refine::run(args).await,
            Command::Report(args) => commands::report::run(&args),
            Command::Leaderboard(args) => commands::leaderboard::run(&args),
            Command::Agreement(args) => commands::agreement::run(&args),
            Command::Sections(args) => commands::sections::run(args).await,
            Command::Check(args) => commands::check::run(args).await,
            Command::Degrade(args) => commands::degrade::run(args).await,
            Command::Detect(args) => commands::detect::run(args).await,
            Command::Validate(args) => commands::validate::run(&args),
            Command::Doctor(args) => commands::doctor::run(&args).await,
        }
    })
}

/// Ends the process without a word when nobody reads its output any more, as when it is piped into `head`.
fn end_with_the_reader() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>();
        if message.is_some_and(|message| message.starts_with("failed printing to stdout")) {
            std::process::exit(0);
        }
        report(panic);
    }));
}
