use super::super::{canonical, parse};

fn rendered(input: &str) -> String {
    canonical(&parse(input).unwrap().cells)
}

#[test]
fn cells_are_written_in_the_form_that_the_grammar_teaches() {
    let text = rendered(
        "**cell TS reset 2m Load “it”\n\n1\n\n*** Cell\n2\n*** Cell py t:1.5\n*** End\n*** Cell id:'x' t:0\n'''\n\\*** Cell js\n\\**end\n'''\n",
    );
    insta::assert_snapshot!(text);
}

#[test]
fn code_that_would_lose_a_fence_of_its_own_gets_a_longer_one() {
    let text = rendered("*** Cell py\n````\n```py\n1\n```\n````\n*** Cell py\n~~~~\n~~~\n~~~~\n");
    insta::assert_snapshot!(text);
}
