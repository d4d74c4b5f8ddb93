//! Models that cannot do everything.

use base64::Engine;
use serde_json::{Value, json};
use webeval_llm::{Adjustment, ChatModel, ChatRequest, Error, Image, JsonSchema, Message, Part, Profile, Tool, ask};

use crate::support::{Server, Turn};
use crate::{model, picture, profile};

fn look() -> Tool {
    Tool::new("look", "Looks there.", json!({"type": "object", "properties": {"at": {"type": "integer"}}}))
}

#[tokio::test]
async fn without_tools_they_are_called_by_json() {
    let server = Server::playing(vec![Turn::Json(json!({"tool": "look", "arguments": {"at": 3}}))]).await;
    let first = Message::Assistant {
        text: String::new(),
        tool_calls: vec![webeval_llm::ToolCall {
            id: "c0".into(),
            name: "look".into(),
            arguments: "{\"at\":1}".into(),
        }],
    };
    let answered = Message::Tool { call_id: "c0".into(), name: "look".into(), text: "nothing".into() };
    let messages = vec![Message::system("You look."), Message::user("Look!"), first, answered];
    let request = ChatRequest::new("test", messages).with_tools(vec![look()], true);
    let reply = model(&server, profile("tools = false")).chat(&request).await.unwrap();
    assert_eq!((reply.tool_calls[0].name.as_str(), reply.tool_calls[0].parse().unwrap()), ("look", json!({"at": 3})));
    assert_eq!(reply.adjustments, [Adjustment::ToolsByJson]);
    let sent = &server.requests()[0];
    assert!(sent.get("tools").is_none());
    let union = &sent["response_format"]["json_schema"]["schema"]["anyOf"];
    assert_eq!((union.as_array().unwrap().len(), &union[0]["properties"]["tool"]), (1, &json!({"const": "look"})));
    assert!(sent["messages"][0]["content"].as_str().unwrap().contains("- look: Looks there."));
    assert_eq!(sent["messages"][2]["content"], "{\"tool\":\"look\",\"arguments\":{\"at\":1}}");
    assert_eq!(sent["messages"][3], json!({"role": "user", "content": "look answered:\nnothing"}));
}

#[tokio::test]
async fn without_json_schema_the_schema_is_given_in_words() {
    let schema = JsonSchema::new("s", json!({"type": "object", "required": ["score"]}));
    let request = ChatRequest::new("test", vec![Message::user("Score?")]).expecting(schema);
    for (json, format) in [("object", json!({"type": "json_object"})), ("none", Value::Null)] {
        let server = Server::playing(vec![Turn::Text("It is {\"score\": 1}.".into())]).await;
        let model = model(&server, profile(&format!("json = \"{json}\"")));
        let answer = ask(&model, &request, &|_| Vec::new()).await.unwrap();
        assert_eq!((&answer.value, &answer.adjustments[..]), (&json!({"score": 1}), &[Adjustment::SchemaInWords][..]));
        let sent = &server.requests()[0];
        assert_eq!(sent["response_format"], format);
        assert!(
            sent["messages"][0]["content"].as_str().unwrap().contains("{\"type\":\"object\",\"required\":[\"score\"]}")
        );
    }
}

fn with_image(width: u32, height: u32) -> ChatRequest {
    let image = Image::new("shot.png", picture(width, height)).unwrap();
    ChatRequest::new("test", vec![Message::parts(vec![Part::text("See:"), image.into()])])
}

#[tokio::test]
async fn without_vision_the_place_of_an_image_is_marked() {
    let server = Server::playing(vec![Turn::Text("ok".into())]).await;
    let reply = model(&server, profile("vision = false")).chat(&with_image(8, 8)).await.unwrap();
    assert_eq!(reply.adjustments, [Adjustment::ImageWithheld { name: "shot.png".into() }]);
    let sent = &server.requests()[0]["messages"][0]["content"];
    assert_eq!(sent[1], json!({"type": "text", "text": "[image shot.png: not shown, as you take no images]"}));
}

#[tokio::test]
async fn images_are_made_smaller_and_that_is_recorded() {
    let server = Server::answering(|_, _| Turn::Text("ok".into())).await;
    let model = model(&server, profile("max_image_edge = 400"));
    let reply = model.chat(&with_image(1600, 800)).await.unwrap();
    let recorded =
        Adjustment::ImageDownscaled { name: "shot.png".into(), from: "1600x800".into(), to: "400x200".into() };
    assert_eq!(reply.adjustments, [recorded]);
    let sent = server.requests()[0]["messages"][0]["content"][1]["image_url"]["url"].as_str().unwrap().to_owned();
    let bytes = base64::engine::general_purpose::STANDARD.decode(sent.strip_prefix("data:image/png;base64,").unwrap());
    let decoded = image::load_from_memory(&bytes.unwrap()).unwrap();
    assert_eq!((decoded.width(), decoded.height()), (400, 200));
    assert!(model.chat(&with_image(400, 300)).await.unwrap().adjustments.is_empty());
}

#[tokio::test]
async fn too_many_images_and_broken_ones_fail_before_anything_is_sent() {
    let server = Server::answering(|_, _| Turn::Text("ok".into())).await;
    let image = Image::new("shot.png", picture(4, 4)).unwrap();
    let request = ChatRequest::new("test", vec![Message::parts(vec![Part::from(image); 3])]);
    let error = model(&server, profile("max_images = 2")).chat(&request).await.unwrap_err();
    assert!(matches!(error, Error::TooManyImages { count: 3, limit: 2, .. }));
    assert!(server.requests().is_empty());
    let error = Image::new("shot.png", b"<html>".to_vec()).unwrap_err();
    assert!(error.to_string().starts_with("shot.png is not an image"), "{error}");
}

#[tokio::test]
async fn what_the_model_file_says_goes_into_the_request() {
    let server = Server::answering(|_, _| Turn::Text("ok".into())).await;
    let text =
        "seed = false\ntemperature = false\nmax_tokens_field = \"max_tokens\"\nextra = { reasoning_effort = \"low\" }";
    let request = ChatRequest::new("t", vec![Message::user("?")]).with_seed(1).with_temperature(0.0).with_max_tokens(9);
    let reply = model(&server, profile(text)).chat(&request).await.unwrap();
    assert_eq!(reply.adjustments, [Adjustment::SeedWithheld, Adjustment::TemperatureWithheld]);
    let sent = &server.requests()[0];
    assert_eq!((&sent["reasoning_effort"], &sent["max_tokens"]), (&json!("low"), &json!(9)));
    assert!(
        sent.get("seed").is_none() && sent.get("temperature").is_none() && sent.get("max_completion_tokens").is_none()
    );
    assert!(webeval_llm::Profiles::from_toml("[models.m]\nvison = true").unwrap_err().to_string().contains("vison"));
    assert_eq!(webeval_llm::Profiles::default().get("unknown"), Profile::default());
}
