import { Component, type ReactNode, useState } from 'react';
import { useSession } from './state/use-session.ts';
import { Desk } from './ui/desk.tsx';
import { wording } from './wording.ts';

/** The desk, after a form for the token if the service requires one. */
export function App() {
  const { session, signIn, signOut, retry, giveName } = useSession();

  if (session.status === 'connecting')
    return (
      <main className="sign-in">
        <p role="status">{wording.signIn.connecting}</p>
      </main>
    );
  if (session.status === 'signedOut')
    return <SignIn problem={session.problem} onSignIn={signIn} onRetry={retry} />;
  if (session.status === 'unnamed') return <NameForm onName={giveName} />;
  return (
    <ErrorBoundary>
      <Desk
        me={session.me}
        connection={session.connection}
        onSignOut={session.connection.hasToken ? signOut : undefined}
      />
    </ErrorBoundary>
  );
}

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}

/** Shows a sentence instead of a page that has failed. */
class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <main className="sign-in">
        <p role="alert">{wording.problems.unknown}</p>
        <pre>{error.message}</pre>
      </main>
    );
  }
}

/** Asks for the name of the operator, if the service requires no token. */
function NameForm({ onName }: { readonly onName: (name: string) => void }) {
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

interface SignInProps {
  readonly problem: string | undefined;
  readonly onSignIn: (token: string) => void;
  readonly onRetry: () => void;
}

/** A form for the token. A password manager may keep it. */
function SignIn({ problem, onSignIn, onRetry }: SignInProps) {
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
