import type { Act } from '../../service/protocol.ts';
import { timeText } from '../../state/duration.ts';
import { wording } from '../../wording.ts';

interface ActTableProps {
  readonly acts: readonly Act[];
  readonly onOpen: (conversation: string) => void;
}

/** Acts in a table, which scrolls. */
export function ActTable({ acts, onOpen }: ActTableProps) {
  const words = wording.activity;
  const { at: when, by: who, act: what, contact: whom, detail } = words.columns;
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={words.table}>
      <table>
        <thead>
          <tr>
            {[when, who, what, whom, detail].map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {acts.map(({ at, by, act, instance, contact, option, text }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- Acts have no ids, and one person may do two at once.
            <tr key={`${at} ${index}`}>
              <td>
                <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
              </td>
              <td>{by ?? words.program}</td>
              <td>{words.acts[act] ?? act}</td>
              <td>
                <button type="button" className="link" onClick={() => onOpen(instance)}>
                  {contact ?? instance}
                </button>
              </td>
              <td className="detail">{[option, text].filter(Boolean).join(': ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
