// The conversation as AG-UI messages: what the next run is told.

/** A random id; unlike randomUUID it also works on pages that were not loaded over TLS. */
export function id(prefix) {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return prefix + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The tools of this page: the model may call them, and the person at the page answers. */
const TOOLS = [
  tool('get_weather', 'The weather in a city, now', 'city', 'The name of the city'),
  tool('get_time', 'The time of day in a time zone', 'timezone', 'Such as Europe/Zurich'),
];

function tool(name, description, argument, meaning) {
  const properties = { [argument]: { type: 'string', description: meaning } };
  return { name, description, parameters: { type: 'object', properties, required: [argument] } };
}

export class Thread {
  id = id('thread-');
  messages = [];
  /** The tool calls that the last run left for us, by their ids. */
  pending = new Set();
  /** How much of the history is from before the current run. */
  #before = 0;

  say(text) {
    this.messages.push({ id: id('user-'), role: 'user', content: text });
  }

  answer(toolCallId, content) {
    this.messages.push({ id: id('tool-'), role: 'tool', toolCallId, content });
    this.pending.delete(toolCallId);
  }

  /** The input of a new run. */
  begin() {
    this.#before = this.messages.length;
    this.pending.clear();
    return {
      threadId: this.id,
      runId: id('run-'),
      protocolVersion: '1.0',
      messages: this.messages,
      tools: TOOLS,
      context: [],
      state: {},
      forwardedProps: {},
    };
  }

  apply(event) {
    switch (event.type) {
      case 'TEXT_MESSAGE_START':
        this.#open(event.messageId, event.role ?? 'assistant');
        break;
      case 'REASONING_MESSAGE_START':
        this.#open(event.messageId, 'reasoning');
        break;
      case 'TEXT_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CONTENT': {
        const message = this.#find(event.messageId);
        if (message) message.content = (message.content ?? '') + event.delta;
        break;
      }
      case 'REASONING_ENCRYPTED_VALUE': {
        const find = event.subtype === 'tool-call' ? this.#call : this.#find;
        const holder = find.call(this, event.entityId);
        if (holder) holder.encryptedValue = event.encryptedValue;
        break;
      }
      case 'TOOL_CALL_START': {
        const parent = this.#open(event.parentMessageId ?? event.toolCallId, 'assistant');
        const call = { name: event.toolCallName, arguments: '' };
        (parent.toolCalls ??= []).push({ id: event.toolCallId, type: 'function', function: call });
        break;
      }
      case 'TOOL_CALL_ARGS': {
        const call = this.#call(event.toolCallId);
        if (call) call.function.arguments += event.delta;
        break;
      }
      case 'TOOL_CALL_RESULT': {
        const { messageId, toolCallId, content } = event;
        this.messages.push({ id: messageId, role: 'tool', toolCallId, content });
        break;
      }
      case 'MESSAGES_SNAPSHOT':
        this.messages = structuredClone(event.messages);
        break;
      case 'RUN_FINISHED':
        this.pending = this.#unanswered(event.outcome?.pendingToolCallIds);
        break;
    }
  }

  /** Takes the current run back out of the history, as if it had not been tried. */
  rollBack() {
    this.messages.length = Math.min(this.#before, this.messages.length);
  }

  /** Keeps what the current run has said so far, but no call that nobody will answer. */
  cutShort() {
    const open = this.#unanswered();
    for (const message of this.messages) {
      const calls = message.toolCalls?.filter((call) => !open.has(call.id));
      if (calls?.length) message.toolCalls = calls;
      else delete message.toolCalls;
    }
    this.messages = this.messages.filter((message) => message.content || message.toolCalls);
  }

  #open(messageId, role) {
    let message = this.#find(messageId);
    if (!message) this.messages.push((message = { id: messageId, role }));
    return message;
  }

  #find(messageId) {
    return this.messages.findLast((message) => message.id === messageId);
  }

  #call(callId) {
    const calls = this.messages.flatMap((message) => message.toolCalls ?? []);
    return calls.findLast((call) => call.id === callId);
  }

  /** The calls of the current run without a result: those named, or else all there are. */
  #unanswered(named) {
    if (named?.length) return new Set(named);
    const recent = this.messages.slice(this.#before);
    const calls = recent.flatMap((message) => message.toolCalls ?? []).map((call) => call.id);
    const answered = new Set(recent.map((message) => message.toolCallId));
    return new Set(calls.filter((call) => !answered.has(call)));
  }
}
