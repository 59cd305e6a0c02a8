//! The cell transform: source in, source out, for people to read.

use evalcell::kernel::js::transform::{
    BindingKind, Imported, Known, Marker, Names, TransformOptions, Transformed, original_column, transform,
    transform_module,
};

const PLATFORM: [&str; 4] = ["URL", "fetch", "process", "structuredClone"];

fn options<'a>() -> TransformOptions<'a> {
    TransformOptions { cell: "cell-1", platform_names: &|name| PLATFORM.contains(&name), known: &|_| None }
}

fn done(source: &str) -> Transformed {
    transform(source, &options()).unwrap_or_else(|failure| panic!("{failure}"))
}

fn refused(source: &str) -> String {
    transform(source, &options()).map_or_else(|failure| failure.to_string(), |done| panic!("{}", done.main))
}

/// The source above, what runs below; the names and imports in a word.
fn shown(source: &str) -> String {
    let done = done(source);
    let mut text = format!("{source}\n──── main ────\n{}\n", done.main);
    if let Some(hoisted) = &done.hoisted {
        text.push_str(&format!("──── hoisted ────\n{hoisted}\n"));
    }
    text.push_str("────\n");
    for binding in &done.bindings {
        let place = if binding.on_session { ", on the session" } else { "" };
        text.push_str(&format!("{} {}{place}, set: {:?}\n", binding.kind.as_str(), binding.name, binding.marker));
    }
    for assigned in &done.assigned {
        text.push_str(&format!("assigns {}, set: {:?}\n", assigned.name, assigned.marker));
    }
    for import in &done.imports {
        let names: Vec<String> =
            import.names.iter().map(|name| format!("{:?} as {}", name.imported, name.local)).collect();
        text.push_str(&format!("loads {} {:?} {}\n", import.specifier, import.attributes, names.join(", ")));
    }
    text.push_str(&format!("async: {}, value: {}\n", done.is_async, done.has_value));
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn a_cell_without_top_level_await_stays_a_plain_script() {
    insta::assert_snapshot!(shown(
        "const rows = [1, 2], {length} = rows\nlet total\nvar a, b = 2\nfor (var i = 0; i < 3; i++) total = i\nclass Point {}\ntotal += 1\nconsole.log(total)\nrows.length"
    ));
}

#[test]
fn top_level_await_makes_it_the_body_of_an_async_function() {
    insta::assert_snapshot!(shown(
        "const r = await fetch('x')\nfor await (const part of r.body) console.log(part)\ntry { await r.json() } catch (error) { log(error) } finally { done() }\nr.status // shown"
    ));
}

#[test]
fn function_declarations_run_first() {
    insta::assert_snapshot!(shown(
        "const four = twice(2)\nasync function* steps() { yield 1 }\nfunction twice(n) { return n * 2 }\nfour"
    ));
}

#[test]
fn imports_are_loaded_before_the_cell_runs() {
    insta::assert_snapshot!(shown(
        "import fs, { readFileSync as rf } from 'node:fs'\nimport * as path from 'node:path'; import 'side-effect'\nimport data from './data.json' with { type: 'json' }\nconst lazy = import('./lazy.js')\nimport.meta.url"
    ));
}

#[test]
fn names_of_the_platform_go_to_the_session_object() {
    insta::assert_snapshot!(shown(
        "const fetch = () => 1, { URL, x: { process } } = load()\nfetch()\nstructuredClone(URL)\nconst o = { fetch, URL: 1 };\n[process] = [fetch`x`]\nfunction f(URL) { return [URL, fetch] }"
    ));
}

#[test]
fn writes_to_constants_throw() {
    insta::assert_snapshot!(shown(
        "const a = 1; import b from 'b'\nlet c = () => { a = 2; b++; ({ a } = c) }\nd = 3; let d"
    ));
}

#[test]
fn types_become_blanks() {
    insta::assert_snapshot!(shown(
        "interface A { x: number }\ntype B = A | string\nconst a: A = { x: 1 } as const satisfies A\nfunction f<T extends B>(this: Window, x?: T, ...rest: T[]): x is T { return x! }\nabstract class C<T> extends D<T> implements A, B {\n  declare y: number\n  private readonly x: number = 1\n  static override z?: string\n  constructor(public a: string, private b = 2) { super(); go() }\n  abstract m(): void\n  n<U>(u: U): asserts u is U {}\n}\nexport type { A }\nlet g = async <T,>(x: T): Promise<\n  T\n> => await x\ndeclare const nothing: number"
    ));
}

#[test]
fn enums_and_namespaces_are_lowered_on_their_own_lines() {
    insta::assert_snapshot!(shown(
        "enum Color {\n  Red,\n  Green = 'g',\n  Blue = 1 << 2,\n  Next,\n  Other = load(),\n}\nnamespace Shapes.Round {\n  export const pi = 3\n  export function area(r: number) { return pi * r ** 2 }\n  const hidden = 1\n}\nColor.Red"
    ));
}

#[test]
fn every_place_where_code_starts_or_resumes_is_checked() {
    insta::assert_snapshot!(shown(
        "const a = x => x.y, b = x => f(x), c = async () => { try { return await f() } catch { g() } }\nfunction* d() { 'use strict'; const got = yield 1; yield* e() }\nclass E { m() { f() } get x() { return f() } static { f() } }\nfunction empty() {}\nouter: for await (const x of y) break outer"
    ));
}

#[test]
fn every_round_of_a_loop_is_a_place_to_stop() {
    insta::assert_snapshot!(shown(
        "for (;;) structuredClone(rows)\nwhile (queue.splice(0).length);\ndo { x = [...rows] } while (x)\nouter: for (const row of rows) if (row) continue outer; else f(row)\nfor (const key in rows) for (let i = 0; i < 3; i++) for (const one of f()) for (;;) { g() }\nfor await (const row of rows) `${row}`\nconst many = () => { while (true) new Map(rows) }\nfor (let i = 0; i < 9; i++) { total += i; later = () => f() }"
    ));
}

#[test]
fn block_functions_reach_the_top_in_async_cells_too() {
    insta::assert_snapshot!(shown("await 0\n{ function f() { return f } }\nif (x) function g() {}\nf()"));
}

#[test]
fn syntax_errors_have_a_line_a_column_and_a_caret() {
    let sources = [
        "let x = 1\nlet y = ;",
        "const a = 1\n\tconst a = 2",
        "foo(",
        "let 1x",
        "const x: = 1",
        "const view = <App title='x' />",
        "@logged class A {}",
        "using file = open()",
        "await using file = open()",
        "class A { accessor x = 1 }",
        "break",
        "await = ) 1",
        "const 漢字 = 1; const 漢字 = 2",
        "let _$halt = 1",
        "'use strict'; with (a) {}",
        "return return",
        "`${",
        "var x = 08n",
    ];
    let text: Vec<String> = sources.iter().map(|source| refused(source)).collect();
    insta::assert_snapshot!(text.join("\n────\n"));
}

#[test]
fn a_typescript_file_loses_its_types_and_nothing_else() {
    let source = "import fs, { type Stats, Dirent } from 'node:fs'\nimport type { X } from './x.ts'\nexport interface Y { a: X }\nexport enum Kind { A }\nexport const f = (d: Dirent): Kind => Kind.A\nexport { type Y as Z, f as default }\nconsole.log(import.meta.url, await import('./y.ts'))\n";
    let text = transform_module(source, "file.ts").unwrap_or_else(|failure| panic!("{failure}"));
    insta::assert_snapshot!(text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"));
}

#[test]
fn columns_map_back_to_the_users() {
    let source = "const {a} = await f(), b = [await g(), new Error()]; for (;;) h(); while (a) { i() }";
    let done = done(source);
    let line = done.main.lines().nth(1).unwrap_or_default();
    for word in ["f(", "g(", "Error", "h(", "i("] {
        let generated = u32::try_from(line.find(word).unwrap_or(0)).unwrap_or(0) + 1;
        let wanted = u32::try_from(source.find(word).unwrap_or(0)).unwrap_or(0) + 1;
        assert_eq!(original_column(&done.main_segments, 1, generated), wanted, "{word} in {line}");
    }
    assert_eq!(original_column(&done.main_segments, 7, 3), 3);
}

#[test]
fn lines_never_change() {
    let source =
        "/* a */ const {\r\n  a,\r\n} = await f()\u{2028}function g() {\n}\nenum E {\n A,\n B\n}\nexport default\n 1\n";
    let done = done(source);
    let lines = |text: &str| text.matches(['\n', '\u{2028}']).count();
    assert_eq!(lines(&done.main), lines(source) + 2);
    // The function stands on its own line there too.
    let hoisted = done.hoisted.unwrap_or_default();
    assert_eq!(lines(&hoisted), 4);
}

#[test]
fn the_session_remembers_what_a_cell_came_to_set() {
    let first = done("const a = 1; let b = 2; const URL = 3");
    let mut names = Names::new();
    names.record(&first.bindings, &|name| name != "b");
    assert_eq!(names.known("a"), Some(Known { on_session: false, constant: true }));
    assert_eq!(names.known("URL"), Some(Known { on_session: true, constant: true }));
    assert_eq!(names.known("b"), None);
    assert_eq!(names.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["URL", "a"]);
    let known = |name: &str| names.known(name);
    let options = TransformOptions { known: &known, ..options() };
    let second = transform("a = 2; URL(); delete a", &options).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(second.main, "_$const.a = 2; ;(0,_$s.URL)(); false   ");
}

#[test]
fn a_name_that_is_only_a_type_here_may_be_missing() {
    let done = done("import { Stats, statSync } from 'node:fs'; const s: Stats = statSync('.')");
    let optional: Vec<bool> = done.imports[0].names.iter().map(|name| name.optional).collect();
    assert_eq!(optional, [true, false]);
    assert_eq!(done.imports[0].names[1].imported, Imported::Named("statSync".to_owned()));
    assert_eq!(done.bindings[0].kind, BindingKind::Import);
}

#[test]
fn plain_assignments_are_marked_where_they_are_certain() {
    let done = done("body = 1; if (x) other = 2; [a, b] = f(); last = 3");
    let markers: Vec<(&str, Marker)> =
        done.assigned.iter().map(|assigned| (assigned.name.as_str(), assigned.marker)).collect();
    let wanted = [
        ("body", Marker::After(1)),
        ("other", Marker::Unknown),
        ("a", Marker::After(2)),
        ("b", Marker::After(2)),
        ("last", Marker::End),
    ];
    assert_eq!(markers, wanted);
}

#[test]
fn no_nesting_overflows_the_stack() {
    for source in [
        "(".repeat(50_000),
        "[".repeat(10_000) + &"]".repeat(10_000),
        "!".repeat(50_000) + "a",
        "a=>".repeat(20_000) + "a",
        "if(a)b;else ".repeat(5_000) + "c",
        "(".repeat(200_000),
    ] {
        // Either answer is right; an end of the process is not.
        let _ = transform(&source, &options());
        let _ = transform_module(&source, "file.ts");
    }
    assert!(refused(&"(".repeat(200_000)).ends_with("SyntaxError: The source is nested too deeply"));
}

#[test]
fn no_source_makes_it_panic() {
    let pieces = [
        "const ",
        "{",
        "}",
        "(",
        "`${",
        "await ",
        "\u{1F600}",
        "\r\n",
        "enum A",
        "<T>",
        " as ",
        "=>",
        "\\u0061",
        "#!",
        "/*",
        "'",
        "function f",
        "class ",
        "@",
        ";",
        "for await (x of y)",
    ];
    for first in pieces {
        for second in pieces {
            for third in pieces {
                let source = format!("{first}{second}{third}");
                // Either answer is right; an end of the process is not.
                let _ = transform(&source, &options());
            }
        }
    }
}
