import { lazy, Suspense } from 'react';
import type { CodeEditorProps } from './code-editor.tsx';

// Loaded later: it is large, and the page is useful without it.
const CodeEditor = lazy(() => import('./code-editor.tsx'));

/** The definition as text, with its diagnostics marked. */
export function DefinitionEditor(props: CodeEditorProps) {
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
