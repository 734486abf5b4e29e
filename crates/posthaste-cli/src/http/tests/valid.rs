//! Whether an answer is what the OpenAPI document says.

use serde_json::Value;

use crate::http::{openapi, routes};

/// Panics unless the answer to this request is documented, with a schema that it fits.
pub fn check(method: &str, path: &str, status: u16, body: &str) {
    let path = path.split('?').next().unwrap_or_default();
    let Some(route) = routes::ROUTES.iter().find(|route| route.method == method && fits(route.path, path)) else {
        return;
    };
    let document = openapi::document();
    let responses = &document["paths"][route.path][method.to_lowercase()]["responses"];
    let response = responses.get(status.to_string()).or(responses.get("default"));
    let response = response.unwrap_or_else(|| panic!("{method} {path}: {status} is not documented: {body}"));
    let Some((content, schema)) = response["content"].as_object().and_then(|some| some.iter().next()) else { return };
    if content.ends_with("json") {
        let answer: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{method} {path}: no JSON: {body}"));
        let mut errors = Vec::new();
        Validator { schemas: &document["components"]["schemas"] }.check(&schema["schema"], &answer, "", &mut errors);
        assert!(errors.is_empty(), "{method} {path} {status}: {}\n{body}", errors.join("\n"));
    }
}

/// Whether a path is one of a route, whose parameters stand in braces. A route without parameters is listed before one with them.
fn fits(route: &str, path: &str) -> bool {
    let (route, path): (Vec<&str>, Vec<&str>) = (route.split('/').collect(), path.split('/').collect());
    route.len() == path.len() && route.iter().zip(&path).all(|(part, given)| part.starts_with('{') || part == given)
}

/// As much of JSON Schema as our document uses. A keyword that it does not know is a mistake of the document.
struct Validator<'a> {
    schemas: &'a Value,
}

const KNOWN: [&str; 16] = [
    "$ref",
    "type",
    "required",
    "additionalProperties",
    "properties",
    "items",
    "enum",
    "anyOf",
    "description",
    "format",
    "default",
    "examples",
    "minimum",
    "maximum",
    "minLength",
    "minItems",
];

impl Validator<'_> {
    fn check(&self, schema: &Value, value: &Value, place: &str, errors: &mut Vec<String>) {
        for keyword in schema.as_object().unwrap_or_else(|| panic!("{schema} is no schema")).keys() {
            assert!(KNOWN.contains(&keyword.as_str()), "unknown keyword {keyword} at {place}");
        }
        if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
            let found = self.schemas.get(name).unwrap_or_else(|| panic!("there is no schema {name}"));
            return self.check(found, value, place, errors);
        }
        if let Some(options) = schema["anyOf"].as_array() {
            let fits = |option: &Value| {
                let mut errors = Vec::new();
                self.check(option, value, place, &mut errors);
                errors.is_empty()
            };
            if !options.iter().any(fits) {
                errors.push(format!("{place}: {value} is none of {options:?}"));
            }
        }
        if !is_of_type(&schema["type"], value) {
            errors.push(format!("{place}: {value} is not of type {}", schema["type"]));
        }
        if schema["enum"].as_array().is_some_and(|allowed| !allowed.contains(value)) {
            errors.push(format!("{place}: {value} is not one of {}", schema["enum"]));
        }
        self.check_object(schema, value, place, errors);
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            if schema.get("items").is_some() {
                self.check(&schema["items"], item, &format!("{place}/{index}"), errors);
            }
        }
    }

    fn check_object(&self, schema: &Value, value: &Value, place: &str, errors: &mut Vec<String>) {
        let Some(object) = value.as_object() else { return };
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                errors.push(format!("{place}: {name} is missing"));
            }
        }
        for (name, value) in object {
            match schema["properties"].get(name) {
                Some(schema) => self.check(schema, value, &format!("{place}/{name}"), errors),
                None if schema["additionalProperties"] == false => errors.push(format!("{place}: {name} is unknown")),
                None => {}
            }
        }
    }
}

fn is_of_type(wanted: &Value, value: &Value) -> bool {
    match wanted {
        Value::Array(several) => several.iter().any(|one| is_of_type(one, value)),
        Value::String(name) => match name.as_str() {
            "null" => value.is_null(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_u64() || value.is_i64(),
            "number" => value.is_number(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => false,
        },
        _ => true,
    }
}
