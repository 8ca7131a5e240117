import type { WriteStream } from 'node:tty';
import type { EventObject } from '@dramaturg/compiler';
import { counted, visible } from '@dramaturg/compiler/text';
import { HostError, type HostEvent, type QueueCounts } from '@dramaturg/host';
import { outputTo, type Style } from '../output.ts';
import { Footer } from '../view/footer.ts';
import { fitted } from '../view/paragraph.ts';
import type { LocalGateway } from './gateway/gateway.ts';
import { unlessUnreadable } from './print/waits.ts';

/** Milliseconds between two counts. */
const intervalMs = 500;

/**
 * Prints what people have to know about the instances of a host, until the host stops. On a terminal it also prints the messages
 * of contacts, and keeps a line with counts below everything else.
 *
 * @returns a function that stops it
 */
export function watchHost(gateway: Pick<LocalGateway, 'host' | 'get' | 'queues'>): () => void {
  const output = outputTo(process.stdout);
  const notices = new Notices();
  const sums = { received: 0, sent: 0 };
  const line = output.isTerminal
    ? new BottomLine(process.stdout, [process.stderr], (text) => output.paint('dim', text))
    : undefined;
  const over = new AbortController();
  const timer = line && setInterval(() => void count().catch(stop), intervalMs);
  timer?.unref();
  if (line) void count().catch(stop);
  void follow();
  return stop;

  function stop(): void {
    over.abort();
    clearInterval(timer);
    line?.end();
  }

  async function count(): Promise<void> {
    const counts = await gateway.queues();
    if (!over.signal.aborted) line?.show(countsText(counts, sums));
  }

  async function follow(): Promise<void> {
    while (!over.signal.aborted) {
      try {
        for await (const event of gateway.host.events()) {
          if (over.signal.aborted) return;
          await see(event as HostEvent);
        }
        return;
      } catch (error) {
        // A terminal that is too slow misses events, and does not slow down the host.
        if (!(error instanceof HostError && error.code === 'host/slow-subscriber')) return;
      }
    }
  }

  async function see(event: HostEvent): Promise<void> {
    const { type, role, text } = event.event as { type: string; role?: string; text?: string };
    if (type === 'message.delivered') sums.sent += 1;
    if (type === 'message.recorded' && role === 'contact') {
      sums.received += 1;
      if (line && text !== undefined) await showMessage(event.instance, text);
    }
    const notice = notices.of(event);
    if (!notice) return;
    const { write, paint } = outputTo(notice.sign === '?' ? process.stdout : process.stderr);
    write(`${paint(notice.style, `${notice.sign} ${visible(notice.text)}`)}\n`);
  }

  async function showMessage(instance: string, text: string): Promise<void> {
    const view = await unlessUnreadable(gateway.get(instance));
    const name = output.paint('green', `${visible(view?.contact ?? instance)} writes:`);
    output.write(`${name} ${text.split('\n').map(visible).join('\n  ')}\n`);
  }
}

/** `12 instances · 1 decision open · 2 for a person · 3 failures · 5 messages in, 7 out`. */
function countsText(
  { all, needsPerson, decisions, failed, paused, setAside }: QueueCounts,
  sums: { readonly received: number; readonly sent: number },
): string {
  return [
    counted(all, 'instance'),
    ...(decisions > 0 ? [`${counted(decisions, 'decision')} open`] : []),
    ...(needsPerson > 0 ? [`${needsPerson} for a person`] : []),
    ...(paused > 0 ? [`${paused} paused`] : []),
    ...(setAside > 0 ? [`${setAside} set aside`] : []),
    ...(failed > 0 ? [counted(failed, 'failure')] : []),
    `${counted(sums.received, 'message')} in, ${sums.sent} out`,
  ].join(' · ');
}

/** An event of an instance that a person has to know: a failure, a retry, or a wait for a person. */
interface Notice {
  readonly sign: '✗' | '!' | '?';
  readonly style: Style;
  readonly text: string;
}

/** The reason of a cancelled instance. It is not shown: the person who cancelled the instance knows it. */
const cancelled = 'cancelled';

/** Turns the events of a host into notices for people. Events must come in order. */
export class Notices {
  /** Why the last turn of an instance has failed, until its lifecycle enters another state. */
  readonly #failures = new Map<string, string>();

  of({ instance, source, event }: HostEvent): Notice | undefined {
    const fields: EventObject & Fields = event;
    const failed = (text: string) => ({ sign: '✗', style: 'red', text }) as const;
    const waits = (text: string) => ({ sign: '?', style: 'yellow', text }) as const;
    switch (fields.type) {
      case 'turn.ended':
        if (fields.outcome === 'failed') this.#failures.set(instance, fields.because ?? '');
        return undefined;
      case 'instance.ended':
        this.#failures.delete(instance);
        return fields.failure_reason && fields.failure_reason !== cancelled
          ? failed(`${instance} has failed: ${fields.failure_reason}`)
          : undefined;
      case 'message.rejected':
        return failed(`${instance}: a message cannot be delivered${reasonIn(fields.because)}`);
      case 'turn.attempt.failed': {
        const { port, attempt, attempts, because } = fields;
        const text = `${instance}: attempt ${attempt} of ${attempts} at "${port}" has failed${reasonIn(because)}`;
        return { sign: '!', style: 'yellow', text };
      }
      case 'decision.requested':
        return waits(`${instance}/${fields.id} waits for a decision: ${fields.prompt}`);
      case 'state.entered': {
        if (source !== 'lifecycle') return undefined;
        const because = this.#failures.get(instance);
        this.#failures.delete(instance);
        if (fields.state !== 'NEEDS_HUMAN_INTERVENTION') return undefined;
        return waits(`${instance} waits for a person${reasonIn(because)}`);
      }
      default:
        return undefined;
    }
  }
}

/** The fields of these events that a notice shows. */
interface Fields {
  readonly outcome?: string;
  readonly because?: string;
  readonly failure_reason?: string | null;
  readonly port?: string;
  readonly attempt?: number;
  readonly attempts?: number;
  readonly id?: string;
  readonly prompt?: string;
  readonly state?: string;
}

function reasonIn(because: string | undefined): string {
  return because ? `: ${because}` : '';
}

/** Keeps one line of text below everything that the process prints to its terminal. */
class BottomLine {
  readonly #screen: WriteStream;
  readonly #footer: Footer;
  #text = '';

  /** @param style colours the line */
  constructor(
    screen: WriteStream,
    others: readonly WriteStream[],
    style: (text: string) => string,
  ) {
    this.#screen = screen;
    this.#footer = new Footer(screen, others, {
      // Some terminals would wrap a line of their full width.
      draw: (write) => write(style(fitted(this.#text, (this.#screen.columns || 80) - 1))),
      erase: (write) => write('\r\u001B[K'),
    });
    this.#screen.on('resize', this.#redraw);
  }

  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#redraw();
  }

  /** Removes the line and restores the streams. */
  end(): void {
    this.#footer.erase();
    this.#screen.off('resize', this.#redraw);
    this.#footer.end();
  }

  readonly #redraw = () => {
    this.#footer.erase();
    if (this.#text !== '') this.#footer.draw();
  };
}
