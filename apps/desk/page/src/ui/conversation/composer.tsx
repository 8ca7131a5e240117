import { type Ref, useImperativeHandle, useRef, useState } from 'react';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { useAct } from '../use-act.ts';

export interface ComposerHandle {
  readonly focus: () => void;
  /** Asks the agent for a draft. */
  readonly propose: () => void;
}

interface ComposerProps {
  readonly ref: Ref<ComposerHandle>;
  /** The id of the conversation. */
  readonly id: string;
  /** The id of the last line that is shown. */
  readonly lastLine: string | undefined;
  readonly isMine: boolean;
  /** The end of the claim. */
  readonly until: number | undefined;
  readonly onChanged: () => void;
}

/** While the operator types, the claim is renewed this long before its end, in milliseconds. */
const renewMs = 180_000;

/** Writes to the contact in the operator's name. The text stays in the field until the service has accepted it. */
export function Composer({ ref, id, lastLine, isMine, until, onChanged }: ComposerProps) {
  const { client, me } = useDesk();
  const [text, setText] = useState('');
  const [isDraft, setDraft] = useState(false);
  const writing = useAct();
  const drafting = useAct();
  const renewing = useAct();
  const field = useRef<HTMLTextAreaElement>(null);
  const words = wording.conversation;
  const propose = () => {
    void drafting.act(async () => {
      const draft = await client.draft(id);
      setText(draft.text);
      setDraft(true);
      field.current?.focus();
    });
  };
  useImperativeHandle(ref, () => ({ focus: () => field.current?.focus(), propose }));
  const send = async () => {
    if (text.trim() === '') return;
    const isSent = await writing.act(() => client.write(id, text, lastLine), words.sent);
    if (isSent) {
      setText('');
      setDraft(false);
    }
    onChanged();
  };
  const type = (typed: string) => {
    setText(typed);
    if (until !== undefined && until - Date.now() < renewMs)
      void renewing.act(() => client.renewClaim(id)).then(onChanged);
  };
  if (!isMine) return <p className="composer muted">{words.takeOverToWrite}</p>;
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p className="composer-as" id="composer-as">
        {words.writeAs(me.name)}
        {isDraft && <em> {words.draft}</em>}
        {drafting.isRunning && <em> {words.drafting}</em>}
      </p>
      <textarea
        ref={field}
        rows={3}
        aria-label={words.message}
        aria-describedby="composer-as"
        data-draft={isDraft || undefined}
        value={text}
        onChange={({ target }) => type(target.value)}
        onKeyDown={(event) => {
          const { key, ctrlKey, metaKey } = event;
          if (key === 'Enter' && (ctrlKey || metaKey)) {
            event.preventDefault();
            void send();
          }
          if (key === 'Escape') {
            // Escape leaves the field but not the conversation: shortcuts work again.
            event.preventDefault();
            event.currentTarget.blur();
          }
        }}
      />
      <div className="row end">
        <button type="button" disabled={drafting.isRunning} onClick={propose}>
          {words.proposeDraft}
        </button>
        <button
          type="submit"
          className="primary"
          disabled={text.trim() === '' || writing.isRunning}
        >
          {writing.isRunning ? words.sending : words.send}
        </button>
      </div>
    </form>
  );
}
