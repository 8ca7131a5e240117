import type { QueueCounts } from '../service/protocol.ts';
import { wording } from '../wording.ts';

/** Why somebody has to act now: what is new since the counts before. */
export function attention(before: QueueCounts | undefined, now: QueueCounts): string | undefined {
  if (before === undefined) return undefined;
  const { needsPerson, decisions, failed } = wording.notifications;
  const news = [
    now.needsPerson > before.needsPerson && needsPerson(now.needsPerson),
    now.decisions > before.decisions && decisions(now.decisions),
    now.failed > before.failed && failed(now.failed),
  ].filter((each) => each !== false);
  return news.length === 0 ? undefined : news.join(' ');
}
