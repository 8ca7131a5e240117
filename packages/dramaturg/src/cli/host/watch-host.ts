import { counted, visible } from '@dramaturg/compiler/text';
import { HostError, type HostEvent, type QueueCounts } from '@dramaturg/host';
import { outputTo } from '../output.ts';
import { BottomLine } from '../view/bottom-line.ts';
import type { LocalGateway } from './gateway/local-gateway.ts';
import { Notices } from './print/notice.ts';
import { unlessUnreadable } from './print/retries.ts';

/** Milliseconds between two counts. */
const intervalMs = 500;

/**
 * Prints what people have to know about the instances of a host, until the host stops. On a terminal it also prints the messages of contacts,
 * and keeps a line with counts below everything else.
 *
 * @returns stops it
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
        // What this terminal is too slow for is not shown, and the host is not slowed down.
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
