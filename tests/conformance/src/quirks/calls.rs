//! Tool calls, in every way that providers take them apart.

use super::json::Json;
use super::pieces::Told;
use super::script::Script;

impl Script {
    /// Some calls in one provider's manner.
    pub(super) fn calls(&mut self) {
        let manners: [fn(&mut Self); 20] = [
            Self::parallel,
            Self::parallel,
            Self::whole_calls,
            Self::unnumbered,
            Self::unnumbered_pieces,
            Self::reused_index,
            Self::rotating_ids,
            Self::without_ids,
            Self::without_ids_in_one_slot,
            Self::by_position,
            Self::repeated_name,
            Self::split_name,
            Self::placeholder,
            Self::without_arguments,
            Self::arguments_as_object,
            Self::told_again,
            Self::broken_arguments,
            Self::signed,
            Self::unknown_tool,
            Self::custom,
        ];
        let manner = *self.dice.pick(&manners);
        manner(self);
    }

    /// Calls in further slots, after those that there are.
    pub(super) fn more_calls(&mut self) {
        self.first_index += 10;
        match self.dice.below(3) {
            0 => self.whole_calls(),
            1 => self.reused_index(),
            _ => self.parallel(),
        }
    }

    /// Calls with index and id, their arguments in pieces that may come by turns.
    pub(super) fn parallel(&mut self) {
        self.row(31);
        let calls = self.some_calls(3);
        let noisy = self.dice.chance(40);
        let mut queues: Vec<Vec<String>> = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            self.expect_call(call.name, &call.arguments);
            let parts = self.dice.between(1, 5);
            let mut pieces = self.dice.cut(&call.arguments, parts);
            pieces.reverse();
            queues.push(pieces);
            self.announce(at, call, Some(""));
            // Some send all of one call before they begin the next.
            if self.dice.chance(50) {
                while let Some(piece) = queues[at].pop() {
                    self.piece(at, &piece, noisy, call);
                }
            }
        }
        while queues.iter().any(|queue| !queue.is_empty()) {
            let at = self.dice.below(queues.len());
            if let Some(piece) = queues[at].pop() {
                self.piece(at, &piece, noisy, &calls[at]);
            }
        }
    }

    /// Whole calls, one a chunk or all in one.
    fn whole_calls(&mut self) {
        self.row(32);
        let calls = self.some_calls(3);
        let mut entries = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            self.expect_call(call.name, &call.arguments);
            let arguments = self.quote(&call.arguments);
            let entry = self.entry(Some(at), Some(&call.id), Some(call.name), Some(arguments));
            entries.push(entry);
        }
        self.send_together_or_apart(entries);
    }

    /// Whole calls without index.
    fn unnumbered(&mut self) {
        self.row(33);
        self.row(53);
        let calls = self.some_calls(3);
        let mut entries = Vec::new();
        for call in &calls {
            self.expect_call(call.name, &call.arguments);
            let arguments = self.quote(&call.arguments);
            entries.push(self.entry(None, Some(&call.id), Some(call.name), Some(arguments)));
        }
        self.send_together_or_apart(entries);
    }

    /// A call without index whose arguments go on in chunks that have nothing else.
    fn unnumbered_pieces(&mut self) {
        self.row(33);
        for call in self.some_calls(2) {
            self.expect_call(call.name, &call.arguments);
            let pieces = self.dice.cut(&call.arguments, 3);
            for (at, piece) in pieces.iter().enumerate() {
                let arguments = self.quote(piece);
                let (id, name) = if at == 0 {
                    (Some(&*call.id), Some(call.name))
                } else {
                    (None, None)
                };
                let entry = self.entry(None, id, name, Some(arguments));
                self.send(vec![entry]);
            }
        }
    }

    /// Every call has index 0.
    fn reused_index(&mut self) {
        self.row(34);
        for call in self.some_calls(3) {
            self.expect_call(call.name, &call.arguments);
            let arguments = self.quote(&call.arguments);
            let entry = self.entry(Some(0), Some(&call.id), Some(call.name), Some(arguments));
            self.send(vec![entry]);
        }
    }

    /// The same call has a new id in each chunk, or the same one in each.
    fn rotating_ids(&mut self) {
        self.row(36);
        let rotate = self.dice.chance(50);
        for (at, call) in self.some_calls(2).into_iter().enumerate() {
            self.expect_call(call.name, &call.arguments);
            self.announce(at, &call, Some(""));
            for piece in self.dice.cut(&call.arguments, 3) {
                let id = if rotate {
                    self.fresh_id()
                } else {
                    call.id.clone()
                };
                let arguments = self.quote(&piece);
                let entry = self.entry(Some(at), Some(&id), None, Some(arguments));
                self.send(vec![entry]);
            }
        }
    }

    /// No id anywhere.
    fn without_ids(&mut self) {
        self.row(37);
        for (at, call) in self.some_calls(3).into_iter().enumerate() {
            self.expect_call(call.name, &call.arguments);
            let pieces = self.dice.cut(&call.arguments, 3);
            for (part, piece) in pieces.iter().enumerate() {
                let name = (part == 0).then_some(call.name);
                let arguments = self.quote(piece);
                let entry = self.entry(Some(at), None, name, Some(arguments));
                self.send(vec![entry]);
            }
        }
    }

    /// No id anywhere, and every call has index 0: a name after whole arguments is the next call, if
    /// arguments come with it. Without them it might be the old name once more. The same call twice
    /// in a row is left out: on the wire it is one call whose name and arguments are sent again.
    fn without_ids_in_one_slot(&mut self) {
        self.row(34);
        self.row(37);
        let mut calls = self.some_calls(3);
        calls.dedup_by(|next, last| {
            let read =
                |call: &Told| serde_json::from_str::<serde_json::Value>(&call.arguments).ok();
            next.name == last.name && read(next) == read(last)
        });
        for call in calls {
            self.expect_call(call.name, &call.arguments);
            let mut pieces = self.dice.cut(&call.arguments[1..], 2);
            pieces[0].insert(0, '{');
            for (part, piece) in pieces.iter().enumerate() {
                let name = (part == 0).then_some(call.name);
                let arguments = self.quote(piece);
                let entry = self.entry(Some(0), None, name, Some(arguments));
                self.send(vec![entry]);
            }
        }
    }

    /// Neither index nor id: in a chunk with several calls, their places tell them apart.
    fn by_position(&mut self) {
        self.row(33);
        self.row(37);
        let calls = [self.one_call(), self.one_call()];
        let mut halves = [Vec::new(), Vec::new()];
        for call in &calls {
            self.expect_call(call.name, &call.arguments);
            let (head, tail) = call.arguments.split_at(1);
            for (half, (name, piece)) in [(Some(call.name), head), (None, tail)]
                .into_iter()
                .enumerate()
            {
                let arguments = self.quote(piece);
                halves[half].push(self.entry(None, None, name, Some(arguments)));
            }
        }
        halves.into_iter().for_each(|half| self.send(half));
    }

    /// The name comes with every piece.
    fn repeated_name(&mut self) {
        self.row(38);
        for (at, call) in self.some_calls(2).into_iter().enumerate() {
            self.expect_call(call.name, &call.arguments);
            // The last piece completes the arguments: a name after that would be another call.
            let end = call.arguments.len() - 1;
            let mut pieces = self.dice.cut(&call.arguments[..end], 3);
            pieces.push(call.arguments[end..].to_owned());
            for (part, piece) in pieces.iter().enumerate() {
                let id = (part == 0).then_some(&*call.id);
                let arguments = self.quote(piece);
                let entry = self.entry(Some(at), id, Some(call.name), Some(arguments));
                self.send(vec![entry]);
            }
        }
    }

    /// The name comes in two pieces, before any arguments.
    fn split_name(&mut self) {
        self.row(39);
        let call = self.one_call();
        let cut = self.dice.between(1, call.name.len() - 1);
        let (head, tail) = call.name.split_at(cut);
        if self.tools.contains(&head) {
            // A head that is a tool by itself is no head.
            return self.parallel();
        }
        self.expect_call(call.name, &call.arguments);
        let entry = self.entry(Some(0), Some(&call.id), Some(head), None);
        self.send(vec![entry]);
        let entry = self.entry(Some(0), None, Some(tail), None);
        self.send(vec![entry]);
        let arguments = self.quote(&call.arguments);
        let entry = self.entry(Some(0), None, None, Some(arguments));
        self.send(vec![entry]);
    }

    /// The first arguments are `{}`, and real ones may follow.
    fn placeholder(&mut self) {
        self.row(41);
        let call = self.one_call();
        let real = self.dice.chance(50);
        self.expect_call(call.name, if real { &call.arguments } else { "{}" });
        self.announce(0, &call, Some("{}"));
        if real {
            for piece in self.dice.cut(&call.arguments, 2) {
                self.piece(0, &piece, false, &call);
            }
        }
    }

    /// No arguments at all.
    fn without_arguments(&mut self) {
        self.row(42);
        let call = self.one_call();
        self.expect_call(call.name, "{}");
        match self.dice.below(3) {
            0 => self.announce(0, &call, None),
            1 => self.announce(0, &call, Some("")),
            _ => {
                let entry = self.entry(
                    Some(0),
                    Some(&call.id),
                    Some(call.name),
                    Some("null".to_owned()),
                );
                self.send(vec![entry]);
            }
        }
    }

    /// The arguments are an object instead of a string of one.
    fn arguments_as_object(&mut self) {
        self.row(43);
        let mut call = self.one_call();
        // Written out into the chunk, so without line ends.
        call.arguments.retain(|char| char != '\n');
        self.expect_call(call.name, &call.arguments);
        let entry = self.entry(
            Some(0),
            Some(&call.id),
            Some(call.name),
            Some(call.arguments),
        );
        self.send(vec![entry]);
    }

    /// All arguments come once more at the end, or each chunk has all of them so far.
    fn told_again(&mut self) {
        self.row(44);
        let call = self.one_call();
        self.expect_call(call.name, &call.arguments);
        self.announce(0, &call, Some(""));
        let half = call
            .arguments
            .char_indices()
            .nth(call.arguments.chars().count() / 2);
        let (head, tail) = call.arguments.split_at(half.map_or(0, |(at, _)| at));
        self.piece(0, head, false, &call);
        if self.dice.chance(50) {
            self.piece(0, tail, false, &call);
        }
        self.piece(0, &call.arguments, false, &call);
    }

    /// Arguments that are no JSON object; they are the tool's business.
    fn broken_arguments(&mut self) {
        self.row(45);
        let call = self.one_call();
        let kinds: [&[&str]; 7] = [
            &["{\"a\":1}{\"b\":2}"],
            &["{\"a\":1}", "{\"b\":2}"],
            &["{\"a\":1} and so on"],
            &["not ", "JSON"],
            &["{\"a\":", "oops}"],
            &["[1,", "2]"],
            &["```json\n{\"a\":1}\n```"],
        ];
        let broken = *self.dice.pick(&kinds);
        self.expect_call(call.name, &broken.concat());
        self.announce(0, &call, Some(""));
        for piece in broken {
            self.piece(0, piece, false, &call);
        }
    }

    /// A call that must go back with a signature.
    fn signed(&mut self) {
        self.row(49);
        let call = self.one_call();
        self.expect_call(call.name, &call.arguments);
        self.signatures += usize::from(!self.deaf);
        let signature: Json = r#"{"google":{"thought_signature":"c2ln"}}"#.to_owned();
        let arguments = self.quote(&call.arguments);
        let entry = self.entry(Some(0), Some(&call.id), Some(call.name), Some(arguments));
        if self.dice.chance(50) {
            let open = entry.strip_suffix('}').unwrap_or(&entry);
            self.send(vec![format!("{open},\"extra_content\":{signature}}}")]);
        } else {
            self.send(vec![entry]);
            self.say(&[("extra_content", signature)]);
        }
    }

    /// A tool that nobody has.
    fn unknown_tool(&mut self) {
        let mut call = self.one_call();
        if self.dice.chance(50) {
            self.row(50);
            call.name = "multi_tool_use.parallel";
            call.arguments =
                r#"{"tool_uses":[{"recipient_name":"functions.add","parameters":{"a":1}}]}"#
                    .to_owned();
        } else {
            self.row(51);
            call.name = "launch_rocket";
        }
        self.expect_call(call.name, &call.arguments);
        self.announce(0, &call, Some(""));
        for piece in self.dice.cut(&call.arguments, 2) {
            self.piece(0, &piece, false, &call);
        }
    }

    /// A tool with free text instead of arguments.
    fn custom(&mut self) {
        self.row(48);
        let call = self.one_call();
        let input = "SELECT 1; -- not JSON";
        self.expect_call(call.name, input);
        let custom = format!(
            r#"{{"name":"{}","input":{}}}"#,
            call.name,
            self.quote(input)
        );
        let id = self.quote(&call.id);
        let members = [
            ("index", "0".to_owned()),
            ("id", id),
            ("type", "\"custom\"".to_owned()),
            ("custom", custom),
        ];
        let entry = self.object(&members);
        self.send(vec![entry]);
    }

    /// The one call of the time before there were several.
    pub(super) fn legacy_call(&mut self) {
        self.row(19);
        let call = self.one_call();
        self.expect_call(call.name, &call.arguments);
        let name = self.quote(call.name);
        let function = self.object(&[("name", name), ("arguments", "\"\"".to_owned())]);
        self.say(&[("function_call", function)]);
        for piece in self.dice.cut(&call.arguments, 3) {
            let function = format!(r#"{{"arguments":{}}}"#, self.quote(&piece));
            self.say(&[("function_call", function)]);
        }
    }

    /// A tool that the provider runs itself: first what was asked, then what came out.
    pub(super) fn executed(&mut self) {
        self.row(52);
        let arguments = r#"{"query":"now"}"#;
        self.expect_hosted("web_search", arguments);
        let head = format!(
            r#""index":0,"type":"web_search","arguments":{}"#,
            self.quote(arguments)
        );
        self.say(&[("executed_tools", format!("[{{{head}}}]"))]);
        self.say(&[(
            "executed_tools",
            format!(r#"[{{{head},"output":"found"}}]"#),
        )]);
    }

    /// A call that is cut off in its arguments: gives what came.
    pub(super) fn cut_call(&mut self) {
        let call = self.one_call();
        let end = self.dice.between(1, call.arguments.chars().count() - 1);
        let piece: String = call.arguments.chars().take(end).collect();
        self.expect_call(call.name, &piece);
        self.first_index += 10;
        self.announce(0, &call, Some(""));
        self.piece(0, &piece, false, &call);
    }
}
