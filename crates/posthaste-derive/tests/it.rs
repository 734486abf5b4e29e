//! What a developer reads when an event is described wrongly. After a change of the texts: `TRYBUILD=overwrite cargo test`.

#[test]
fn every_mistake_is_named_where_it_is_made_with_its_remedy() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
