import { useState } from 'react';
import type { Conversation } from '../../service/protocol.ts';
import { timeText } from '../../state/duration.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { useAct } from '../use-act.ts';

interface NotesProps {
  readonly conversation: Conversation;
  readonly onChanged: () => void;
}

/** Notes of operators. The contact and the agent do not see them. */
export function Notes({ conversation, onChanged }: NotesProps) {
  const { client, mayOperate } = useDesk();
  const { id, notes = [] } = conversation;
  const [text, setText] = useState('');
  const { act, isRunning } = useAct();
  const words = wording.side;
  const add = async () => {
    if (text.trim() !== '' && (await act(() => client.note(id, text.trim())))) setText('');
    onChanged();
  };
  return (
    <>
      {notes.length === 0 && <p className="muted">{words.noNotes}</p>}
      <ul className="notes">
        {notes.map(({ at, by, text: written }) => (
          <li key={`${at} ${by} ${written}`}>
            <p className="message-head">
              <strong>{by}</strong>{' '}
              <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
            </p>
            <p className="message-text">{written}</p>
          </li>
        ))}
      </ul>
      {mayOperate && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void add();
          }}
        >
          <label>
            {words.newNote}
            <textarea
              id="new-note"
              rows={3}
              value={text}
              onChange={({ target }) => setText(target.value)}
              onKeyDown={({ key, ctrlKey, metaKey }) => {
                if (key === 'Enter' && (ctrlKey || metaKey)) void add();
              }}
            />
          </label>
          <button type="submit" disabled={isRunning || text.trim() === ''}>
            {words.addNote}
          </button>
        </form>
      )}
    </>
  );
}
