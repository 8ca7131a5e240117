import { useState } from 'react';
import { wording } from '../wording.ts';

interface SignInProps {
  readonly problem: string | undefined;
  readonly onSignIn: (token: string) => void;
  readonly onRetry: () => void;
}

/** A form for the token. A password manager may keep it. */
export function SignIn({ problem, onSignIn, onRetry }: SignInProps) {
  const [token, setToken] = useState('');
  const { heading, explanation, submit, retry } = wording.signIn;
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== '') onSignIn(token.trim());
        }}
      >
        <h1>{heading}</h1>
        <p id="token-explanation">{explanation}</p>
        <label>
          {wording.signIn.token}
          <input
            type="password"
            name="token"
            autoComplete="current-password"
            spellCheck={false}
            aria-describedby="token-explanation"
            value={token}
            onChange={({ target }) => setToken(target.value)}
          />
        </label>
        {problem !== undefined && (
          <p className="problem-text" role="alert">
            {problem}
          </p>
        )}
        <div className="row">
          <button type="submit" className="primary">
            {submit}
          </button>
          {problem !== undefined && (
            <button type="button" onClick={onRetry}>
              {retry}
            </button>
          )}
        </div>
      </form>
    </main>
  );
}
