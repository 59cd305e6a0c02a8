use super::sheet::sheet;

#[test]
fn a_header_is_a_line_of_its_own_with_two_or_more_stars_in_any_case() {
    let cells = sheet(&[
        ("the canonical form", "*** Cell py:\"load data\" t:60 rst\nprint(1)\n*** End\n"),
        ("two stars, no space", "**Cell py\n1\n"),
        ("many stars", "***** cell js\n1\n"),
        ("upper case", "*** CELL PY\n1\n*** END\n"),
        ("mixed case", "*** cElL Js\n1\n"),
        ("no space after the stars", "***Cell py\n1\n***End\n"),
        ("tabs and many spaces", "\t***\t Cell \tpy:\"a  b\"\t t:5\n1\n"),
        ("indented", "  *** Cell py\n1\n  *** End\n"),
        ("a colon after the keyword", "*** Cell: py\n1\n"),
        ("bold, as in Markdown", "**Cell py:\"one\"**\n1\n"),
        ("stars at both ends", "*** Cell py:\"one\" t:5 ***\n1\n"),
        ("no attributes at all", "*** Cell\nprint(1)\n"),
        ("not headers: no keyword, one star, a longer word", "*** Cell py\n*** Cellar\n* Cell py\n***\n*** Celles\n"),
        (
            "not a header: a spread argument on its own line",
            "*** Cell py\nf(\n    **cell\n)\nf(\n    **end\n)\n2 \\\n  ** cell\n",
        ),
        ("a header with two stars may still be indented", "  ** Cell py\n1\n  ** cell js:\"x\"\n2\n"),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn every_language_name_is_understood_in_any_case() {
    let names =
        ["py", "js", "ts", "python", "javascript", "typescript", "ipy", "ipython", "PY", "Js", "TypeScript", "IPython"];
    let inputs: Vec<_> =
        names.iter().map(|name| (*name, format!("*** Cell {name}:\"t\"\n1\n*** Cell {name}\n2"))).collect();
    let examples: Vec<_> = inputs.iter().map(|(name, input)| (*name, input.as_str())).collect();
    let cells = sheet(&examples);
    insta::assert_snapshot!(cells);
}

#[test]
fn titles_keep_their_spaces_in_quotes_and_have_many_spellings() {
    let cells = sheet(&[
        ("double quotes", "*** Cell py:\"load the data\"\n1"),
        ("single quotes", "*** Cell py:'load the data'\n1"),
        ("empty title is no title", "*** Cell py:\"\"\n1\n*** Cell py:''\n2\n*** Cell py:\n3\n*** Cell py:\"  \"\n4"),
        ("smart quotes", "*** Cell py:“load data” t:5\n1\n*** Cell js:‘load data’ t:5\n2"),
        ("one smart, one plain", "*** Cell py:\"load data” t:5\n1\n*** Cell py:“load data\" t:5\n2"),
        ("the opening quote alone", "*** Cell py:\"load data t:5\n1"),
        ("the closing quote alone", "*** Cell py:load data\" t:5\n1"),
        ("quotes that close nothing", "*** Cell py load '\" \n1"),
        ("no quotes", "*** Cell py:load data t:5\n1"),
        ("a quoted word that is no attribute", "*** Cell py \"load data\" t:5\n1"),
        ("space after the colon", "*** Cell py: \"load data\" t: 5\n1"),
        (
            "an apostrophe inside",
            "*** Cell py:\"Ada's data\"\n1\n*** Cell py:'Ada's data'\n2\n*** Cell py:Ada's data\n3",
        ),
        (
            "quotes inside",
            "*** Cell py:\"say \"hi\" now\"\n1\n*** Cell py:\"say \\\"hi\\\" now\"\n2\n*** Cell py:'say \"hi\" now'\n3",
        ),
        ("a backslash before the closing quote", "*** Cell py:\"C:\\dir\\\" t:5\n1"),
        ("emoji, also joined ones", "*** Cell py:\"🚀 ship it 👩\u{200d}💻\"\n1"),
        ("other scripts", "*** Cell py：\"数据 加载\"\n1"),
        ("id", "*** Cell py id:\"a b\"\n1"),
        ("title", "*** Cell py title:\"a b\"\n1"),
        ("name", "*** Cell py name:\"a b\"\n1"),
        ("cell", "*** Cell py cell:\"a b\"\n1"),
        ("file", "*** Cell py file:\"a b.py\"\n1"),
        ("label", "*** Cell py label:\"a b\"\n1"),
        ("keys in any case, before the language", "*** Cell TITLE:\"a b\" py\n1"),
        ("equals signs", "*** Cell py title=\"a b\" timeout=5 rst=true\n1"),
        ("commas", "*** Cell py:\"a b\", t:5, rst\n1"),
        ("bare words join the title", "*** Cell py load the data\n1\n*** Cell 3 py\n2\n*** Cell py:\"load\" again\n3"),
        ("bare words around known ones", "*** Cell py Convert to JS t:5\n1\n*** Cell Step 1: read py\n2"),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn a_deadline_is_a_number_with_an_optional_unit() {
    let cells = sheet(&[
        ("plain number is seconds", "*** Cell py t:5\n1"),
        ("seconds", "*** Cell py t:5s\n1"),
        ("milliseconds", "*** Cell py t:500ms\n1"),
        ("minutes", "*** Cell py t:2m\n1"),
        ("units in any case", "*** Cell py t:5S\n1\n*** Cell py t:5MS\n2\n*** Cell py t:5M\n3"),
        ("fractions", "*** Cell py t:1.5\n1\n*** Cell py t:0.5m\n2\n*** Cell py t:.5s\n3"),
        ("zero is the host's maximum, in every unit", "*** Cell py t:0\n1\n*** Cell py t:0ms\n2\n*** Cell py t:0.0\n3"),
        ("nearly zero is not zero", "*** Cell py t:0.0000001\n1"),
        ("timeout, duration, time", "*** Cell py timeout:5\n1\n*** Cell py duration:5\n2\n*** Cell py time:5\n3"),
        ("quoted", "*** Cell py t:\"5s\"\n1"),
        ("bare durations", "*** Cell py 30s\n1\n*** Cell py 2m\n2\n*** Cell py 500ms\n3\n*** Cell py 1.5s\n4"),
        ("a bare number is a word", "*** Cell py 30\n1"),
        (
            "huge ones are clamped",
            "*** Cell py t:7000s\n1\n*** Cell py t:99999999999999999999999999\n2\n*** Cell py t:2147483648ms\n3",
        ),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn rst_wipes_the_cells_language_first() {
    let cells = sheet(&[
        ("rst", "*** Cell py rst\n1"),
        ("reset, any case", "*** Cell py Reset\n1\n*** Cell py RST\n2"),
        (
            "true",
            "*** Cell py rst:true\n1\n*** Cell py rst:1\n2\n*** Cell py rst:yes\n3\n*** Cell py rst:ON\n4\n*** Cell py reset:true\n5",
        ),
        ("false", "*** Cell py rst:false\n1\n*** Cell py rst:0\n2\n*** Cell py rst:no\n3\n*** Cell py rst:off\n4"),
        ("space after the colon", "*** Cell py rst: true t:5\n1"),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn unknown_attributes_are_ignored_and_of_a_repeated_one_the_first_wins() {
    let cells = sheet(&[
        ("unknown key", "*** Cell py:\"a\" color:red retries:\"3 times\"\n1"),
        ("repeated deadline", "*** Cell py t:5 t:10 30s\n1"),
        ("repeated language", "*** Cell py:\"a\" js:\"b\"\n1\n*** Cell py js\n2"),
        ("repeated title", "*** Cell title:\"a\" name:\"b\" py\n1"),
        ("a title beats an empty one", "*** Cell py:\"\" title:\"b\"\n1"),
        ("repeated rst", "*** Cell py rst:false rst\n1"),
        ("a repeated value is not looked at", "*** Cell py t:5 t:forever\n1"),
        ("language by name", "*** Cell language:python\n1"),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn a_body_is_all_lines_to_the_next_marker() {
    let cells = sheet(&[
        (
            "inner blank lines and indentation are kept",
            "*** Cell py\n\ndef f():\n\n    return 1  \n\n\n\n*** Cell py\nf()\n",
        ),
        ("blank means white space only", "*** Cell py\n1\n  \n\t\n*** End\n"),
        ("an empty cell", "*** Cell py\n*** Cell js\n2\n"),
        ("no final newline", "*** Cell py\n1"),
        ("a header as the last line", "*** Cell py\n1\n*** Cell js"),
        ("the rest of an End line is ignored", "*** Cell py\n1\n*** End of cell 1\n*** Cell py\n2\n*** EndCell\n"),
        ("not an End", "*** Cell py\n*** Endless\n*** Ends\n"),
        ("several Ends", "*** End\n*** Cell py\n1\n*** End\n*** End\n"),
        ("tabs in code", "*** Cell py\nif 1:\n\tprint(1)\n"),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn a_line_that_begins_with_a_backslash_before_a_marker_is_code() {
    let cells = sheet(&[
        (
            "a document about the tool",
            "*** Cell py\ndoc = '''\n\\*** Cell js\nnot code\n\\*** End\n'''\nprint(len(doc.splitlines()))\n",
        ),
        ("any text behind the stars", "*** Cell py\n'''\n\\*** bold\n'''\n"),
        ("other spellings of markers", "*** Cell py\n'''\n\\**Cell py\n  \\*** Cell py\n\\***End\n'''\n"),
        ("backslashes that stand for themselves", "*** Cell py\n\\*** x\n\\\\*** x\n\\** x\n\\n\n \\*** x\n"),
        (
            "without the backslash the text is split, and the first part fails",
            "*** Cell py\ndoc = '''\n*** Cell js\nnot code\n'''\nprint(len(doc.splitlines()))\n",
        ),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn a_fence_around_a_body_or_a_call_is_taken_off() {
    let cells = sheet(&[
        ("around a body", "*** Cell py\n```python\nprint(1)\n```\n*** Cell js\n```\n2\n```\n"),
        (
            "it names the language",
            "*** Cell\n```js\n1\n```\n*** Cell \"b\"\n~~~ts\n2\n~~~\n*** Cell \"c\"\n```{python}\n3\n```\n",
        ),
        ("the header counts", "*** Cell js\n```python\n1\n```\n"),
        ("blank lines around and in it", "*** Cell py\n\n```py\n\n1\n\n```\n\n"),
        (
            "longer fences, fences inside",
            "*** Cell py\n````\ns = '''\n```js\nx\n```\n'''\n````\n*** Cell py\n```py\ns = '''\n```js\nx\n```\n'''\n```\n",
        ),
        ("two blocks are not one", "*** Cell py\n```py\n1\n```\n```py\n2\n```\n"),
        ("a fence in a string stays", "*** Cell py\ns = '''\n```\nx\n```\n'''\n"),
        ("never closed", "*** Cell py\n```python\nprint(1)\n*** End\n"),
        ("closed behind the End", "*** Cell py\n```python\nprint(1)\n*** End\n```\n"),
        ("around the whole call", "```\n*** Cell py\n1\n*** Cell js\n2\n*** End\n```\n"),
        ("around the whole call, without End", "```text\n*** Cell py\n1\n*** Cell js\n2\n```\n"),
        (
            "around the call and around the bodies",
            "```\n*** Cell py\n```python\n1\n```\n*** Cell js\n```js\n2\n```\n```\n",
        ),
        (
            "around each cell, with prose between",
            "First:\n```\n*** Cell py\n1\n```\nThen:\n```\n*** Cell js\n2\n```\nDone.\n",
        ),
        ("a fence in a string, inside a fence", "```\n*** Cell py\ns = '''\n```\nx\n```\n'''\n*** End\n```\n"),
        ("marker lines in a fenced body", "*** Cell py\n```\n'''\n\\*** Cell js\n'''\n```\n"),
        ("a body that is a lone fence", "*** Cell py\n```\n"),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn input_without_a_header_is_one_cell() {
    let cells = sheet(&[
        ("plain code", "import json\nprint(1)\n"),
        ("a fence names the language", "```py\nprint(1)\n```\n"),
        ("a fence without a name", "```\nconst a = 1\n```"),
        ("a fence of another kind", "~~~ typescript\nlet a: number = 1\n~~~\n"),
        ("sniffed", "const a = 1\nconsole.log(a)\n"),
        ("ambiguous", "1 + 1\n"),
        ("an End closes it", "print(1)\n*** End\n"),
        ("nothing at all", ""),
        ("blank", "\n \n\t\n"),
        ("a lone End", "*** End\n"),
        ("a backslash before a marker", "'''\n\\*** Cell js\n'''\n"),
        ("leading blank lines", "\n\nprint(1)\n"),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn text_outside_cells_is_ignored_with_a_notice() {
    let cells = sheet(&[
        (
            "prose, a fence, no End",
            "Here is the code:\n*** Cell py:\"one\"\nprint(1)\n*** End\nnow the second\n```\n*** Cell js\n2\n```\n",
        ),
        ("several places", "a\n\nb\n*** Cell py\n1\n*** End\nc\n*** Cell py\n2\n*** End\nd\ne\n"),
        ("blank lines are no text", "\n\n*** Cell py\n1\n*** End\n\n\n"),
        ("many places", &format!("x\n{}", "*** Cell py\n1\n*** End\nx\n".repeat(8))),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn abort_drops_the_cell_in_progress_and_stops() {
    let cells = sheet(&[
        ("in a cell", "*** Cell py\n1\n*** Cell py\n2\n*** Abort\n*** Cell py\n3\n"),
        ("an End before it saves the cell", "*** Cell py\n1\n*** End\n*** Abort\n"),
        ("in the first cell", "*** Cell py\n1\n*** Abort: wrong file\n"),
        ("any case", "*** Cell py\n1\n**ABORT\n"),
        ("without a header everything is dropped", "print(1)\n*** Abort\n"),
        ("without a header an End saves nothing", "print(1)\n*** End\n*** Abort\n"),
        ("before the first header", "*** Abort\n*** Cell py\n1\n"),
        ("not an Abort", "*** Cell py\n*** Aborted\n"),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn line_ends_and_invisible_characters_are_all_fine() {
    let cells = sheet(&[
        ("CRLF", "*** Cell py:\"a\" t:5\r\n1\r\n\r\n2\r\n*** End\r\n"),
        ("CR", "*** Cell py\r1\r2\r*** Cell js\r3"),
        ("all kinds", "*** Cell py\n1\r\n2\r3\n\r4"),
        ("byte order mark", "\u{feff}*** Cell py\n1"),
        ("no-break spaces", "***\u{a0}Cell\u{a0}py:\"a\u{a0}b\"\u{a0}t:5\n1"),
        ("zero-width characters", "\u{200b}*** Cell\u{2060} py\u{feff} t:5\u{200b}\n1\n*** End\u{200b}"),
        ("ideographic space", "***\u{3000}Cell\u{3000}py\n1"),
        ("code keeps its own", "*** Cell py\nx\u{a0}=\u{200b}1\0\n"),
        ("what stands for half of a surrogate pair", "*** Cell py:\"\u{fffd}\"\n'\u{fffd}'\n"),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn what_older_formats_left_behind_is_understood() {
    let cells = sheet(&[
        ("a Begin line before the cells", "*** Begin\n*** Cell py\n1\n*** End\n"),
        ("Begin in place of Cell", "*** Begin PY\nprint(1)\n*** End PY\n*** Begin JS\n2\n*** End JS\n"),
        ("Begin Cell", "*** Begin Cell py\n1\n*** End Cell\n"),
        ("Begin without a language", "*** Begin\nconst a = 1\n*** End\n"),
        ("rules of equals signs", "===== py:\"one\" t:5 =====\n1\n===== js =====\n2\n"),
        ("in a fence", "```\n===== py =====\n1\n```\n"),
        ("rules in code stay", "print('x')\n===== py =====\n"),
        ("rules in a cell stay", "*** Cell py\n'''\n===== js =====\n'''\n"),
        ("rules that name no language", "===== Results =====\n1\n"),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn reported_failures_of_real_models_parse_to_what_was_meant() {
    let cells = sheet(&[
        (
            "an unfinished string and fences",
            "*** Cell py\nprint('a)\n*** Cell py\n```python\nprint(1)\n```\n*** Cell js\nconst x: number = 1; x\n",
        ),
        ("upper-case language", "*** cell PY\nprint(1)\n"),
        (
            "everything at once",
            "\u{feff}Sure! Here you go:\r\n\r\n```\r\n**cell Py:“Load ‘it’” 30S\tReset\r\n```python\r\nprint(1)\r\n```\r\n\r\n***End\r\n```\r\nLet me know.\r\n",
        ),
    ]);
    insta::assert_snapshot!(cells);
}

#[test]
fn two_hundred_cells_keep_their_order_and_numbers() {
    let input: String = (0..200).map(|number| format!("*** Cell py:\"cell {number}\"\nprint({number})\n")).collect();
    let parsed = super::super::parse(&input).unwrap();
    assert_eq!(parsed.cells.len(), 200);
    for (number, cell) in parsed.cells.iter().enumerate() {
        assert_eq!(cell.index, number);
        assert_eq!(cell.title.as_deref(), Some(format!("cell {number}").as_str()));
        assert_eq!(cell.code, format!("print({number})"));
        assert_eq!(cell.line, 2 * number + 2);
    }
}
