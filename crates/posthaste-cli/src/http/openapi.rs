//! The OpenAPI document, made of the routes themselves and of the schemas beside this file.
//!
//! The schemas are closed: an answer with a field that its schema does not name is not valid. Tests hold every answer of a real
//! server against its schema, so neither can change without the other.

use std::sync::LazyLock;

use axum::Json;
use serde_json::{Map, Value, json};

use super::routes::parameters::Parameter;
use super::routes::{ROUTES, Role, Route};

/// Schemas by subject.
const SCHEMAS: &[&str] = &[
    include_str!("openapi/health.json"),
    include_str!("openapi/session.json"),
    include_str!("openapi/store.json"),
    include_str!("openapi/live.json"),
    include_str!("openapi/messages.json"),
    include_str!("openapi/lanes.json"),
    include_str!("openapi/jobs.json"),
    include_str!("openapi/changes.json"),
    include_str!("openapi/settle.json"),
];

static DOCUMENT: LazyLock<Value> = LazyLock::new(document);

pub async fn serve() -> Json<&'static Value> {
    Json(&DOCUMENT)
}

pub fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.to_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Posthaste", "version": env!("CARGO_PKG_VERSION"), "description": "A relay of a transactional outbox." },
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas(),
        },
    })
}

fn schemas() -> Value {
    let mut all = Map::new();
    for file in SCHEMAS {
        if let Ok(Value::Object(some)) = serde_json::from_str(file) {
            all.extend(some);
        }
    }
    Value::Object(all)
}

fn operation(route: &Route) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "description": match route.role {
            None => "For everyone.",
            Some(Role::Viewer) => "For viewers and operators.",
            Some(Role::Operator) => "For operators.",
            Some(Role::Settler) => "For settlers and operators.",
        },
        "parameters": parameters(route),
        "responses": responses(route),
        "security": if route.role.is_some() { json!([{ "token": [] }]) } else { json!([]) },
    });
    if let Some(body) = route.body {
        operation["requestBody"] = json!({ "content": { "application/json": { "schema": reference(body) } } });
    }
    operation
}

/// `get_messages_id_explain`: for generated clients.
fn operation_id(route: &Route) -> String {
    let path = route.path.trim_start_matches("/api/v1").replace(['{', '}'], "").replace(['/', '.', '-'], "_");
    format!("{}{path}", route.method.to_lowercase())
}

fn parameters(route: &Route) -> Vec<Value> {
    let in_path = route.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let of_path = in_path.map(|name| {
        let (description, schema) = match name {
            "id" | "message" => ("The id of a message", json!({ "type": "string", "format": "uuid" })),
            "source" => ("The name of a source", json!({ "type": "string", "minLength": 1 })),
            "number" => ("The number of a job", json!({ "type": "integer", "minimum": 1 })),
            _ => ("The name of a destination", json!({ "type": "string", "minLength": 1 })),
        };
        json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema })
    });
    let of_query = route.query.iter().map(|parameter| {
        let Parameter { name, description, .. } = parameter;
        json!({ "name": name, "in": "query", "description": description, "schema": parameter.schema() })
    });
    of_path.chain(of_query).collect()
}

fn responses(route: &Route) -> Value {
    let content = match route.answer {
        "Metrics" => "text/plain",
        "Stream" => "text/event-stream",
        _ => "application/json",
    };
    let answer =
        |schema: &str| json!({ "description": "The answer", "content": { content: { "schema": reference(schema) } } });
    let problem = |description: &str| json!({ "description": description, "content": { "application/problem+json": { "schema": reference("Problem") } } });
    let mut responses = json!({ "200": answer(route.answer) });
    if let Some((status, schema)) = route.also {
        responses[status] = answer(schema);
    }
    if route.role.is_some() {
        responses["401"] = problem("No token, or an unknown one");
        responses["403"] = problem("A token without the role, or another origin");
    }
    if route.path.starts_with("/api/") || route.role.is_some() {
        responses["default"] = problem("What went wrong");
    }
    responses
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}
