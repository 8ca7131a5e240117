import type { PortName, SpokenLine } from '@dramaturg/compiler';
import type { TranscriptLine } from '../instance/event.ts';
import type { HeardLines } from '../instance/inbox.ts';
import type { StoreReader } from '../store/contract.ts';

/** The limit of a store for one read. */
const linesMax = 10_000;

export interface SpokenPlace {
  readonly id: string;
  readonly transcriptLength: number;
  /** The lines that the call is about. */
  readonly heard?: HeardLines | undefined;
}

/** The subject of a call. */
interface AskedOf {
  readonly port: PortName;
  readonly input: unknown;
}

/**
 * The last lines of the stored transcript in their order, without those of the system. The contact's lines of the turn are
 * marked, and so are edited lines. For a message that is older than the open question, the lines end with that message.
 */
export async function spokenLines(
  store: Pick<StoreReader, 'transcript'>,
  { id, transcriptLength, heard }: SpokenPlace,
  last: number,
  { port, input }: AskedOf,
): Promise<readonly SpokenLine[]> {
  if (!(last > 0)) return [];
  const { message, early } = Object(input) as { message?: string; early?: true };
  const isCut = early === true && port !== 'reply' && heard !== undefined;
  const length = isCut ? heard.to : transcriptLength;
  // Between two messages there are usually one or two system lines.
  const limit = Math.min(Math.ceil(last) * 3, linesMax);
  const start = Math.max(0, length - limit);
  const lines = (await store.transcript(id, {
    from: start,
    limit: length - start,
  })) as readonly TranscriptLine[];
  const answeredTo = lines.findLast(({ upTo }) => upTo !== undefined)?.upTo ?? 0;
  /** The last edits of lines, by the ids of the lines. */
  const edits = new Map(lines.map((line) => [replacedBy(line), line]));
  return lines
    .flatMap((line, at): SpokenLine[] => {
      const { role, text, data } = line;
      if (role === 'system') return [];
      const index = start + at;
      const isOfTurn =
        message !== undefined &&
        heard !== undefined &&
        role === 'contact' &&
        index >= (port === 'reply' ? heard.from : (heard.own ?? heard.from)) &&
        index < heard.to;
      return [
        {
          role,
          text,
          ...(data === undefined ? {} : { data }),
          ...(role === 'contact' && editOf(line)),
          // A person has answered it in the meantime.
          ...(isOfTurn && { isNew: index >= answeredTo }),
        },
      ];
    })
    .slice(-last);

  function editOf(line: TranscriptLine): Pick<SpokenLine, 'isReplaced' | 'replaces'> {
    const replaced = replacedBy(line);
    const first =
      replaced === undefined ? undefined : lines.find(({ id: own }) => own === replaced);
    const latest = edits.get(replaced ?? line.id);
    return {
      ...(latest && latest !== line && { isReplaced: true }),
      ...(first && { replaces: first.text }),
    };
  }
}

/** The id of the line that an edit replaces. */
function replacedBy({ role, data }: TranscriptLine): string | undefined {
  const replaces = role === 'contact' ? data?.['replaces'] : undefined;
  return typeof replaces === 'string' ? replaces : undefined;
}
