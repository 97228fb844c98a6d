// The chat page: what the controls do, and one run after the other.

import { Refused, run } from './run.js';
import { Thread } from './thread.js';
import { Log, Messages, element } from './view.js';

const at = (id) => document.getElementById(id);
const [prompt, send, stop, example] = ['prompt', 'send', 'stop', 'example'].map(at);
const messages = new Messages(at('messages'));
const log = new Log(at('log'), at('count'));

let thread = new Thread();
/** The run that is under way, if one is. */
let current = null;

/** Runs the agent on the thread as it stands. */
async function start() {
  const mine = (current = new AbortController());
  const ours = thread;
  messages.withdrawRetry();
  busy(true, 'Answering …');
  let end = null;
  try {
    for await (const event of run('run', ours.begin(), mine.signal)) {
      // Events that came in the same read as others are still here after a stop.
      mine.signal.throwIfAborted();
      log.add(event);
      ours.apply(event);
      messages.apply(event);
      if (event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR') end = event;
    }
    if (!end) fail('The connection ended before the answer did.');
    else if (end.type === 'RUN_ERROR') fail(SENTENCES[end.code] ?? end.message, end.code);
    else finish(end);
  } catch (error) {
    // When a new chat has begun, this run is none of its business.
    if (current !== mine) return;
    if (mine.signal.aborted) cut();
    else fail(sentence(error));
  }
}

function finish({ outcome, usage }) {
  const tokens = (usage ?? []).map(
    ({ inputTokens = 0, outputTokens = 0 }) => `${inputTokens} tokens in, ${outputTokens} out`,
  );
  busy(false, ['Done', ...tokens].join(', ') + '.');
  if (outcome?.type === 'cancelled') messages.note('The server cancelled this run.');
  if (outcome?.type === 'interrupt') messages.note('The run waits for an approval.');
  const calls = [...thread.pending];
  if (!calls.length) return;
  status('The model waits for the result of its tool calls.');
  const answered = thread;
  for (const call of calls) {
    messages.ask(call, suggestion(thread, call), (content) => {
      answered.answer(call, content);
      if (!answered.pending.size) start();
      else messages.focusQuestion();
    });
  }
  messages.focusQuestion();
}

function fail(text, code) {
  thread.rollBack();
  busy(false, 'Something went wrong.');
  messages.failure(text, code, start);
}

function cut() {
  thread.cutShort();
  busy(false, 'Stopped.');
  messages.note('Stopped.');
}

function busy(running, text) {
  if (!running) {
    current = null;
    messages.settle();
  }
  // The button that has the focus is about to go.
  if (document.activeElement === send || document.activeElement === stop) prompt.focus();
  send.hidden = running;
  stop.hidden = !running;
  status(text);
}

function status(text) {
  at('status').textContent = text;
}

/** A likely answer to a call of one of this page's tools, for whoever has no better one. */
function suggestion({ messages }, callId) {
  const calls = messages.flatMap((message) => message.toolCalls ?? []);
  const name = calls.find((call) => call.id === callId)?.function.name;
  if (name === 'get_weather') return '18 °C and sunny';
  if (name === 'get_time') return new Date().toLocaleTimeString([], { timeStyle: 'short' });
  return 'ok';
}

function sentence(error) {
  if (error instanceof Refused) return `The server did not accept the request (${error.message}).`;
  if (error instanceof SyntaxError) return 'The server sent something that is not an event.';
  return 'The server cannot be reached, or the connection to it broke.';
}

/** Kinder words than the protocol's for the failures that a reader can do something about. */
const SENTENCES = {
  rate_limit_exceeded: 'The provider is too busy to answer now. Try again in a moment.',
  provider_overloaded: 'The provider is too busy to answer now. Try again in a moment.',
  insufficient_quota: 'The account at the provider has no credit left.',
  authentication_error: 'The provider does not accept the server’s key.',
  model_not_found: 'The provider does not have this model.',
  context_length_exceeded: 'The conversation has become too long for this model.',
  connect_failed: 'The provider cannot be reached.',
  timeout: 'The provider took too long to answer.',
  stream_interrupted: 'The provider broke off in the middle of its answer.',
  stream_truncated: 'The provider broke off in the middle of its answer.',
};

at('composer').addEventListener('submit', (submit) => {
  submit.preventDefault();
  const text = prompt.value.trim();
  if (!text || current) return;
  if (thread.pending.size) {
    messages.focusQuestion();
    return;
  }
  prompt.value = '';
  example.value = '';
  at('about').textContent = '';
  thread.say(text);
  messages.user(text);
  start();
});

prompt.addEventListener('keydown', (key) => {
  // Enter also ends a composition, as when one writes Japanese; that is not meant to send.
  if (key.key !== 'Enter' || key.shiftKey || key.isComposing) return;
  key.preventDefault();
  at('composer').requestSubmit();
});

stop.addEventListener('click', () => current?.abort());

at('new').addEventListener('click', () => {
  const old = current;
  thread = new Thread();
  messages.clear();
  log.clear();
  busy(false, 'Ready.');
  old?.abort();
  prompt.focus();
});

at('clear').addEventListener('click', () => log.clear());

example.addEventListener('change', () => {
  const { prompt: text = '', description = '' } = example.selectedOptions[0]?.dataset ?? {};
  prompt.value = text;
  at('about').textContent = description;
  prompt.focus();
});

try {
  const scenarios = await (await fetch('scenarios')).json();
  for (const { name, prompt, description } of scenarios) {
    const option = element('option', '', `${name}: ${prompt}`);
    option.value = name;
    Object.assign(option.dataset, { prompt, description });
    example.append(option);
  }
} catch {
  status('The list of examples could not be loaded.');
}
