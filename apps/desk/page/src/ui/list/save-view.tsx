import { useState } from 'react';
import { wording } from '../../wording.ts';

/** Asks for the name of a view in place. */
export function SaveView({ onSave }: { readonly onSave: (name: string) => void }) {
  const [name, setName] = useState<string>();
  const words = wording.filter;
  if (name === undefined)
    return (
      <button type="button" onClick={() => setName('')}>
        {words.save}
      </button>
    );
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === '') return;
        onSave(name);
        setName(undefined);
      }}
    >
      <input
        aria-label={words.saveAs}
        placeholder={words.saveAs}
        autoFocus
        value={name}
        maxLength={60}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" className="primary">
        {words.saveSubmit}
      </button>
      <button type="button" onClick={() => setName(undefined)}>
        {words.cancel}
      </button>
    </form>
  );
}
