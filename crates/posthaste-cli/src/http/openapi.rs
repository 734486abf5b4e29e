//! The OpenAPI document, made of the routes themselves.

use axum::Json;
use serde_json::{Map, Value, json};

use super::routes::{ROUTES, Role, Route};

pub async fn serve() -> Json<Value> {
    Json(document())
}

pub fn document() -> Value {
    let mut paths = Map::new();
    for route in &ROUTES {
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

fn operation(route: &Route) -> Value {
    let parameter = |name: &str, place: &str, description: &str| json!({ "name": name, "in": place, "required": place == "path", "description": description, "schema": { "type": "string" } });
    let in_path = route.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let parameters: Vec<Value> = in_path
        .map(|name| {
            parameter(name, "path", if name == "id" { "The id of a message" } else { "The name of a destination" })
        })
        .chain(route.query.iter().map(|(name, description)| parameter(name, "query", description)))
        .collect();
    let content = if route.path == "/metrics" { "text/plain" } else { "application/json" };
    let problem = |description: &str| json!({ "description": description, "content": { "application/problem+json": { "schema": reference("Problem") } } });
    let mut responses = json!({ "200": { "description": "The answer", "content": { content: {} } } });
    if route.role.is_some() {
        responses["401"] = problem("No token, or an unknown one");
        responses["403"] = problem("A token without the role, or another origin");
        responses["default"] = problem("What went wrong");
    } else if route.path != "/openapi.json" {
        responses["503"] = json!({ "description": "It is not", "content": { "application/json": {} } });
    }
    let mut operation = json!({
        "summary": route.summary,
        "description": match route.role {
            None => "For everyone.",
            Some(Role::Viewer) => "For viewers and operators.",
            Some(Role::Operator) => "For operators.",
        },
        "parameters": parameters,
        "responses": responses,
        "security": if route.role.is_some() { json!([{ "token": [] }]) } else { json!([]) },
    });
    if let Some(body) = route.body {
        operation["requestBody"] = json!({ "content": { "application/json": { "schema": reference(body) } } });
    }
    operation
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

fn schemas() -> Value {
    let dry_run = json!({ "type": "boolean", "default": true, "description": "Only count" });
    let text = json!({ "type": "string" });
    json!({
        "Operation": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "ids": { "type": "array", "items": { "type": "string", "format": "uuid" } },
                "selection": reference("Selection"),
                "dry_run": dry_run,
            },
        },
        "Selection": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "status": { "type": "array", "items": text },
                "destination": text, "event_type": text, "key": text, "aggregate": text, "tenant": text, "since": text, "before": text,
            },
        },
        "Purge": {
            "type": "object",
            "additionalProperties": false,
            "properties": { "older_than": { "type": "string", "example": "30d" }, "dry_run": dry_run },
        },
        "Problem": {
            "type": "object",
            "properties": { "type": text, "title": text, "status": { "type": "integer" }, "detail": text },
        },
    })
}
