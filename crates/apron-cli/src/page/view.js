// What the page shows of a conversation. Data reaches the document as text only.

/** An element with a class and children; a string becomes a text node. */
export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** Keeps a scrolling box at its end while its reader is there. Returns what to call on growth. */
export function stickToEnd(box) {
  let atEnd = true;
  let top = 0;
  let planned = false;
  box.addEventListener('scroll', () => {
    // The box may have grown since it was scrolled, so only a way up is the reader's doing.
    if (box.scrollHeight - box.scrollTop - box.clientHeight < 48) atEnd = true;
    else if (box.scrollTop < top) atEnd = false;
    top = box.scrollTop;
  });
  return (force) => {
    atEnd ||= force === true;
    if (!atEnd || planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      box.scrollTop = box.scrollHeight;
    });
  };
}

/** The messages of a chat, drawn from events. */
export class Messages {
  #box;
  #grown;
  /** Texts by message id, calls by call id. */
  #texts = new Map();
  #calls = new Map();
  #articles = new Map();

  constructor(box) {
    this.#box = box;
    this.#grown = stickToEnd(box);
  }

  clear() {
    this.#box.replaceChildren();
    for (const map of [this.#texts, this.#calls, this.#articles]) map.clear();
  }

  user(text) {
    this.#add(element('article', 'user', element('p', 'text', text)), 'You');
    this.#grown(true);
  }

  /** A failure in words for people, with the code small beside it and a way to try again. */
  failure(sentence, code, retry) {
    const again = element('button', '', 'Try again');
    again.type = 'button';
    const article = element('article', 'failure', element('p', '', sentence), again);
    if (code) again.before(element('code', '', code));
    again.addEventListener('click', retry, { once: true });
    article.setAttribute('role', 'alert');
    this.#add(article, 'Error');
  }

  /** What failed before is not to be tried again: the conversation has moved on. */
  withdrawRetry() {
    for (const button of this.#box.querySelectorAll('.failure button')) button.remove();
  }

  note(text) {
    this.#add(element('article', 'note', element('p', '', text)), 'Note');
  }

  apply(event) {
    switch (event.type) {
      case 'TEXT_MESSAGE_START':
        this.#text(event.messageId, this.#assistant(event.messageId));
        break;
      case 'REASONING_MESSAGE_START': {
        const summary = element('summary', '', 'Reasoning');
        const details = element('details', '', summary);
        this.#text(event.messageId, details);
        this.#add(element('article', 'reasoning', details), 'Reasoning');
        break;
      }
      case 'TEXT_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CONTENT':
        this.#texts.get(event.messageId)?.appendData(event.delta);
        this.#grown();
        break;
      case 'TEXT_MESSAGE_END':
        this.#articles.get(event.messageId)?.removeAttribute('aria-busy');
        break;
      case 'TOOL_CALL_START':
        this.#call(event);
        break;
      case 'TOOL_CALL_ARGS':
        this.#calls.get(event.toolCallId)?.args.appendData(event.delta);
        this.#grown();
        break;
      case 'TOOL_CALL_END':
        this.#pretty(this.#calls.get(event.toolCallId)?.args);
        break;
      case 'TOOL_CALL_RESULT':
        this.result(event.toolCallId, event.content);
        break;
    }
  }

  /** Nothing of the run is still being written. */
  settle() {
    for (const article of this.#articles.values()) article.removeAttribute('aria-busy');
  }

  /** Asks the person for the result of a call; `answer` is told it. */
  ask(callId, suggestion, answer) {
    const call = this.#calls.get(callId);
    if (!call) return;
    call.state.textContent = 'waits for you';
    const input = element('input', '');
    input.value = suggestion;
    input.required = true;
    const decline = element('button', 'quiet', 'Decline');
    decline.type = 'button';
    const label = element('label', '', `Result of ${call.name}`, input);
    const form = element('form', 'answer', label, element('button', '', 'Answer'), decline);
    const done = (content) => {
      form.remove();
      this.result(callId, content);
      answer(content);
    };
    form.addEventListener('submit', (submit) => (submit.preventDefault(), done(input.value)));
    decline.addEventListener('click', () => done('The user declined to answer.'));
    call.card.append(form);
    this.#grown();
  }

  /** Moves the focus to the first question that is open. */
  focusQuestion() {
    this.#box.querySelector('.answer input')?.focus();
  }

  result(callId, content) {
    const call = this.#calls.get(callId);
    if (!call) return;
    call.state.textContent = 'answered';
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    call.card.append(element('pre', 'result', text));
    this.#grown();
  }

  #call({ toolCallId, toolCallName, parentMessageId }) {
    const args = document.createTextNode('');
    const state = element('span', 'state', 'called');
    const head = element('p', 'head', element('code', '', toolCallName), state);
    const card = element('div', 'call', head, element('pre', 'args', args));
    this.#calls.set(toolCallId, { name: toolCallName, args, state, card });
    this.#assistant(parentMessageId ?? toolCallId).append(card);
    this.#grown();
  }

  #text(messageId, parent) {
    if (this.#texts.has(messageId)) return;
    const text = document.createTextNode('');
    this.#texts.set(messageId, text);
    parent.append(element('p', 'text', text));
  }

  #assistant(messageId) {
    let article = this.#articles.get(messageId);
    if (!article) {
      article = element('article', 'assistant');
      // A screen reader should hear the message once, when it is whole.
      article.setAttribute('aria-busy', 'true');
      this.#articles.set(messageId, article);
      this.#add(article, 'Assistant');
    }
    return article;
  }

  #pretty(args) {
    try {
      if (args) args.data = JSON.stringify(JSON.parse(args.data), null, 2);
    } catch {
      // Not JSON: shown as it came.
    }
  }

  #add(article, who) {
    article.setAttribute('aria-label', who);
    this.#box.append(article);
    this.#grown();
  }
}

/** The raw events, newest last; old ones make room. */
export class Log {
  #box;
  #count;
  #grown;
  #seen = 0;

  constructor(box, count) {
    this.#box = box;
    this.#count = count;
    this.#grown = stickToEnd(box);
  }

  clear() {
    this.#seen = 0;
    this.#count.textContent = '0';
    this.#box.replaceChildren();
  }

  add(event) {
    const { type, ...rest } = event;
    const number = String(++this.#seen);
    // The ids would crowd out what differs from one delta to the next.
    const brief = JSON.stringify(rest.delta ?? rest).slice(0, 160);
    const summary = element('summary', '', element('span', 'number', number));
    summary.append(element('b', kind(type), String(type)), element('span', 'brief', brief));
    const row = element('details', '', summary);
    // Most are never opened, so the long form is made when one is.
    const open = () => row.append(element('pre', '', JSON.stringify(event, null, 2)));
    row.addEventListener('toggle', open, { once: true });
    this.#box.append(row);
    this.#count.textContent = number;
    if (this.#box.childElementCount > MOST_ROWS) this.#box.firstElementChild.remove();
    this.#grown();
  }
}

function kind(type) {
  return String(type).split('_')[0].toLowerCase();
}

const MOST_ROWS = 2000;
