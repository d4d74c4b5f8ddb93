//! Serves an instrumented copy of an app until Enter is pressed.
#[tokio::main]
async fn main() -> Result<(), webeval_deploy::Error> {
    let given = std::env::args().nth(1).unwrap_or_else(|| "fixtures/apps/todo".into());
    let app = webeval_deploy::locate(&given)?;
    let running = webeval_deploy::deploy(&app, &webeval_deploy::Options::default()).await?;
    println!("{} ({} files with counters)", running.url, running.record.instrumented.len());
    let _ = std::io::stdin().read_line(&mut String::new());
    running.stop().await;
    Ok(())
}
