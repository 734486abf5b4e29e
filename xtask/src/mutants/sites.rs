//! Where in a file the mutants of each genre have their place.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::{Context, Result};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::mutant::{Genre, Place};

/// A place, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Site {
    /// Before the first statement of a function.
    Body(usize),
    /// After the pattern of an arm without a condition.
    Arm(usize),
    /// A whole expression; `changed` is the part of it that the mutant replaces.
    Expression { whole: Range<usize>, changed: Range<usize> },
    /// The condition of an arm.
    Guard(Range<usize>),
}

/// The places of a file that can be chosen while it runs: none in constants, where nothing runs, and none where a `let` is among conditions.
pub fn sites(text: &str) -> Result<HashMap<(Genre, Place), Site>> {
    let mut visitor = Visitor::default();
    visitor.visit_file(&syn::parse_file(text).context("no Rust")?);
    Ok(visitor.sites)
}

#[derive(Default)]
struct Visitor {
    sites: HashMap<(Genre, Place), Site>,
    constant: usize,
}

impl Visitor {
    fn add(&mut self, genre: Genre, at: Span, site: Site) {
        let start = at.start();
        if self.constant == 0 {
            self.sites.insert((genre, Place { line: start.line, column: start.column + 1 }), site);
        }
    }

    fn expression(&mut self, genre: Genre, whole: &impl Spanned, changed: Range<usize>, at: Span) {
        self.add(genre, at, Site::Expression { whole: whole.span().byte_range(), changed });
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block, deeper: impl FnOnce(&mut Self)) {
        let constant = usize::from(signature.constness.is_some());
        self.constant += constant;
        if let Some(first) = block.stmts.first() {
            self.add(Genre::FnValue, first.span(), Site::Body(first.span().byte_range().start));
        }
        deeper(self);
        self.constant -= constant;
    }
}

impl Visit<'_> for Visitor {
    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.function(&item.sig, &item.block, |visitor| visit::visit_item_fn(visitor, item));
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        self.function(&item.sig, &item.block, |visitor| visit::visit_impl_item_fn(visitor, item));
    }

    fn visit_trait_item_fn(&mut self, item: &syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block, |visitor| visit::visit_trait_item_fn(visitor, item));
        }
    }

    fn visit_item_const(&mut self, _: &syn::ItemConst) {}

    fn visit_impl_item_const(&mut self, _: &syn::ImplItemConst) {}

    fn visit_item_static(&mut self, _: &syn::ItemStatic) {}

    fn visit_expr_binary(&mut self, binary: &syn::ExprBinary) {
        if !has_let(&binary.left) && !has_let(&binary.right) {
            let at = binary.op.span();
            self.expression(Genre::BinaryOperator, binary, at.byte_range(), at);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &syn::ExprUnary) {
        let at = unary.op.span();
        self.expression(Genre::UnaryOperator, unary, at.byte_range(), at);
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_match(&mut self, expression: &syn::ExprMatch) {
        let is_rest = |arm: &syn::Arm| matches!(arm.pat, syn::Pat::Wild(_)) && arm.guard.is_none();
        let has_rest = expression.arms.iter().any(is_rest);
        for arm in &expression.arms {
            match &arm.guard {
                // Without its arm, what it matches must have another one.
                None if !has_rest => {}
                None => self.add(Genre::MatchArm, arm.span(), Site::Arm(arm.pat.span().byte_range().end)),
                Some((_, guard)) if has_let(guard) => {}
                Some((_, guard)) => {
                    self.add(Genre::MatchArmGuard, guard.span(), Site::Guard(guard.span().byte_range()));
                }
            }
        }
        visit::visit_expr_match(self, expression);
    }

    fn visit_expr_struct(&mut self, literal: &syn::ExprStruct) {
        for pair in literal.fields.pairs().filter(|_| literal.rest.is_some()) {
            let field = pair.value().span();
            let end = pair.punct().map_or(field, |comma| comma.span()).byte_range().end;
            self.expression(Genre::StructField, literal, field.byte_range().start..end, field);
        }
        visit::visit_expr_struct(self, literal);
    }
}

/// Whether a `let` is among the conditions: no parenthesis may stand around it.
fn has_let(condition: &syn::Expr) -> bool {
    match condition {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}
