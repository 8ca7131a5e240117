import { useState } from 'react';
import { wording } from '../wording.ts';

/** Asks for the name of the operator, where the service asks for no token. */
export function NameForm({ onName }: { readonly onName: (name: string) => void }) {
  const [name, setName] = useState('');
  const words = wording.signIn;
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') onName(name.trim());
        }}
      >
        <h1>{words.heading}</h1>
        <p>{words.nameExplanation}</p>
        <label>
          {words.name}
          <input
            autoComplete="name"
            maxLength={128}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        <button type="submit" className="primary">
          {words.submit}
        </button>
      </form>
    </main>
  );
}
