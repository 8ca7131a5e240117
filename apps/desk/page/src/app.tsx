import { useSession } from './state/use-session.ts';
import { Desk } from './ui/desk.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { NameForm } from './ui/name-form.tsx';
import { SignIn } from './ui/sign-in.tsx';
import { wording } from './wording.ts';

/** The desk, behind a form for the token where the service asks for one. */
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
