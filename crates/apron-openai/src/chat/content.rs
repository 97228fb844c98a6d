//! The content of a delta or message: a string, or parts.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::lenient::{Member, Members, members, scalars_are};

/// What the model says or thinks, in order.
#[derive(Default)]
pub(super) enum Content<'a> {
    /// Nothing that we know.
    #[default]
    Nothing,
    /// Text, not empty.
    Text(Cow<'a, str>),
    /// Several parts; Mistral's reasoning models send them.
    Parts(Vec<Part<'a>>),
}

/// One part, never empty.
pub(super) enum Part<'a> {
    Text(Cow<'a, str>),
    Thinking(Cow<'a, str>),
    Refusal(Cow<'a, str>),
}

impl<'a> Content<'a> {
    /// All of it as one text.
    fn into_text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Nothing => None,
            Self::Text(text) => Some(text),
            Self::Parts(parts) => parts
                .into_iter()
                .map(|part| match part {
                    Part::Text(text) | Part::Thinking(text) | Part::Refusal(text) => text,
                })
                .reduce(|mut all, text| {
                    all.to_mut().push_str(&text);
                    all
                }),
        }
    }

    fn from_text(text: Cow<'a, str>) -> Self {
        if text.is_empty() {
            Self::Nothing
        } else {
            Self::Text(text)
        }
    }
}

impl<'de> Deserialize<'de> for Content<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    scalars_are!(Content::Nothing);

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Content<'de>, E> {
        Ok(Content::from_text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Content<'de>, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Content<'de>, E> {
        Ok(Content::from_text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content<'de>, A::Error> {
        let mut parts = Vec::new();
        while let Some(OnePart(part)) = seq.next_element()? {
            parts.extend(part);
        }
        Ok(Content::Parts(parts))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Content<'de>, A::Error> {
        let mut part = PartMembers::default();
        members(map, &mut part)?;
        Ok(Content::Parts(part.into_part().into_iter().collect()))
    }
}

/// A part of an array; `None` for kinds that say nothing, such as references.
struct OnePart<'a>(Option<Part<'a>>);

impl<'de> Deserialize<'de> for OnePart<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartVisitor)
    }
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = OnePart<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    scalars_are!(OnePart(None));

    fn visit_str<E: Error>(self, text: &str) -> Result<OnePart<'de>, E> {
        let text = (!text.is_empty()).then(|| Part::Text(Cow::Owned(text.to_owned())));
        Ok(OnePart(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<OnePart<'de>, A::Error> {
        IgnoredAny.visit_seq(seq).map(|_| OnePart(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OnePart<'de>, A::Error> {
        let mut part = PartMembers::default();
        members(map, &mut part)?;
        Ok(OnePart(part.into_part()))
    }
}

#[derive(Default)]
struct PartMembers<'a> {
    kind: Option<Cow<'a, str>>,
    text: Option<Cow<'a, str>>,
    thinking: Content<'a>,
    refusal: Option<Cow<'a, str>>,
}

impl<'a> PartMembers<'a> {
    fn into_part(self) -> Option<Part<'a>> {
        match self.kind.as_deref() {
            Some("thinking") => self.thinking.into_text().or(self.text).map(Part::Thinking),
            Some("refusal") => self.refusal.map(Part::Refusal),
            Some("text" | "output_text") | None => self.text.map(Part::Text),
            Some(_) => None,
        }
    }
}

impl<'de> Members<'de> for PartMembers<'de> {
    fn member<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        value: Member<'_, 'de, A>,
    ) -> Result<(), A::Error> {
        match name {
            "type" => self.kind = value.text()?,
            "text" => self.text = value.text()?,
            "thinking" => self.thinking = value.read()?,
            "refusal" => self.refusal = value.text()?,
            _ => value.skip()?,
        }
        Ok(())
    }
}
