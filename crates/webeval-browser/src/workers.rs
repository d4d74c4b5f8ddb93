//! Coverage of workers. They have no document that a script could be run in, so each is asked through the DevTools
//! protocol to post its increments on a channel that the page listens to. What a worker counts between the last look and
//! its end is lost.

use serde_json::{Value, json};

use crate::look::Look;
use crate::session::{Session, WITH_API, text_of};
use crate::wire::Fault;

/// Most workers that are asked.
const MOST: usize = 8;

impl Session {
    /// Collects what the app's own code has counted in workers.
    pub(crate) async fn count_workers(&mut self, look: &mut Look) -> Result<(), Fault> {
        let Some(collect) = self.options.collect.clone().filter(|_| look.workers > 0 && self.has_cdp) else {
            return Ok(());
        };
        let connections = self.meet_workers().await?;
        if connections.is_empty() {
            return Ok(());
        }
        let expression = format!(
            "(() => {{ const channel = new BroadcastChannel({}); channel.postMessage(({collect}) || \"\"); channel.close(); }})()",
            Value::from(self.key.clone())
        );
        let evaluate = json!({"id": 1, "method": "Runtime.evaluate", "params": {"expression": expression}}).to_string();
        let mut asked = 0;
        for connection in connections {
            let message = json!({"sessionId": connection, "message": evaluate});
            // A worker may end at any moment.
            asked += u32::from(self.wire.cdp("Target.sendMessageToTarget", message).await.is_ok());
        }
        let script = format!("{WITH_API}return api.fromWorkers(arguments[1])");
        let told = self.wire.execute(&script, json!([self.key, asked])).await?;
        look.deltas.extend(told.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
        Ok(())
    }

    /// Our connections to the app's workers; those that are new are connected to.
    async fn meet_workers(&mut self) -> Result<Vec<String>, Fault> {
        let answer = match self.wire.cdp("Target.getTargets", json!({"filter": [{}]})).await {
            Ok(answer) => answer,
            Err(Fault::Other(_) | Fault::Unknown) => return Ok(Vec::new()),
            Err(fault) => return Err(fault),
        };
        let mut connections = Vec::new();
        for target in answer["targetInfos"].as_array().into_iter().flatten() {
            let (kind, url) = (text_of(&target["type"]), text_of(&target["url"]));
            if !matches!(kind.as_str(), "worker" | "shared_worker")
                || !self.is_inside(&url)
                || connections.len() == MOST
            {
                continue;
            }
            let name = text_of(&target["targetId"]);
            if !self.workers.contains_key(&name) {
                let params = json!({"targetId": name, "flatten": false});
                let Ok(made) = self.wire.cdp("Target.attachToTarget", params).await else { continue };
                self.workers.insert(name.clone(), text_of(&made["sessionId"]));
            }
            connections.extend(self.workers.get(&name).cloned());
        }
        Ok(connections)
    }
}
