//! Opens a page and lists what can be acted on.
use webeval_browser::{Driver, DriverOptions, Error, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let origin = std::env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:8000".to_owned());
    let driver = Driver::start(&DriverOptions::default()).await?;
    let mut session = Session::open(&driver, SessionOptions::new(origin)).await?;
    let load = Action { kind: ActionKind::Load { url: "app:/".to_owned() }, target: None };
    let seen = session.step(&load).await?.observation;
    for node in seen.nodes.iter().filter(|node| node.is_actionable()) {
        println!("{} {} {:?} {:?}", node.reference, node.role, node.name, node.why);
    }
    session.close().await
}
