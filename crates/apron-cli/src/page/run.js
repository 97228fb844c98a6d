// One run over HTTP: posts an AG-UI RunAgentInput and yields the events that come back.

/** The server answered with something that is not a run. */
export class Refused extends Error {
  constructor(status, text) {
    super(`HTTP ${status}: ${text}`);
    this.status = status;
  }
}

/**
 * Posts `input` to `url` and yields each event as it arrives.
 * Throws Refused for an HTTP error, TypeError when the connection fails, AbortError when `signal`
 * fires, and SyntaxError for a frame that is not JSON.
 */
export async function* run(url, input, signal) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(input),
    signal,
  });
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || !type.startsWith('text/event-stream')) {
    throw new Refused(response.status, (await response.text()).slice(0, 300));
  }
  for await (const data of frames(response.body)) yield JSON.parse(data);
}

/** The data of each server-sent event in a stream of bytes. */
async function* frames(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      // The part behind the last blank line waits for more; at the end it is cut off, so not sent.
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop();
      for (const block of blocks) {
        const lines = block.split(/\r?\n/).filter((line) => line.startsWith('data:'));
        // A block of comments only is a heartbeat.
        if (lines.length) yield lines.map((line) => line.replace(/^data: ?/, '')).join('\n');
      }
      if (done) return;
    }
  } finally {
    // Whoever stops reading early hangs up, and so ends the run.
    reader.cancel().catch(() => {});
  }
}
