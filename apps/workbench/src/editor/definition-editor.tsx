import type { Diagnostic, Language, Range } from '@dramaturg/compiler';
import { lazy, Suspense } from 'react';

export interface DefinitionEditorProps {
  readonly text: string;
  readonly language: Language;
  readonly findings: readonly Diagnostic[];
  /** What to show and mark, such as the state that was picked in the chart. */
  readonly shown?: Range | undefined;
  /** Somebody has changed the text, or put another one in its place. */
  readonly onChange: (text: string, isReplaced: boolean) => void;
}

// Large, and the page is of use without it for a moment.
const CodeEditor = lazy(() => import('./code-editor.tsx'));

/** The definition as text, with what is wrong marked where it stands. */
export function DefinitionEditor(props: DefinitionEditorProps) {
  return (
    <Suspense
      fallback={
        <pre className="wb-source" tabIndex={0}>
          {props.text}
        </pre>
      }
    >
      <CodeEditor {...props} />
    </Suspense>
  );
}
