import { useRef, useState } from 'react';
import type { ModelSettings } from './model-ports.ts';

interface ModelFormProps {
  readonly model: ModelSettings | undefined;
  readonly onChange: (model: ModelSettings | undefined) => void;
}

/** Chooses the player of the agent: the understudy or a model. The key is kept only in this tab. */
export function ModelForm({ model, onChange }: ModelFormProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [draft, setDraft] = useState<ModelSettings>({
    url: 'https://api.openai.com/v1',
    model: '',
    key: '',
  });
  const field = (name: keyof ModelSettings, label: string, type = 'text') => (
    <label>
      {label}
      <input
        type={type}
        autoComplete="off"
        value={draft[name]}
        onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
      />
    </label>
  );
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Agent: {model ? model.model : 'understudy'}
      </button>
      <dialog ref={dialog} className="wb-dialog" aria-label="Agent">
        <form
          method="dialog"
          onSubmit={() => onChange(draft.model.trim() === '' ? undefined : draft)}
        >
          <p>
            The understudy plays the agent: a plain program that asks for pending data and reads
            plain answers. You can use a model instead, through a server with the interface of
            OpenAI&apos;s chat completions. What you enter stays in this tab.
          </p>
          {field('url', 'Address')}
          {field('model', 'Model')}
          {field('key', 'Key', 'password')}
          <div className="wb-buttons">
            <button
              type="button"
              onClick={() => {
                onChange(undefined);
                dialog.current?.close();
              }}
            >
              Understudy
            </button>
            <button type="submit">Use the model</button>
          </div>
        </form>
      </dialog>
    </>
  );
}
