import { Component, type ReactNode } from 'react';
import { wording } from '../wording.ts';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}

/** Shows a sentence in place of a page that has failed. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error?: Error }> {
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
