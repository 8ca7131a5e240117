import type { Diagnostic } from '@dramaturg/compiler';
import { suggestionOf } from './suggestion.ts';

interface FindingsProps {
  readonly findings: readonly Diagnostic[];
  readonly onPick: (finding: Diagnostic) => void;
  /** Puts what the hint suggests into the text. */
  readonly onTake: (finding: Diagnostic, suggestion: string) => void;
}

/** The diagnostics of the definition as a list. A click selects the line. */
export function Findings({ findings, onPick, onTake }: FindingsProps) {
  if (findings.length === 0) return null;
  return (
    <ul className="wb-findings" aria-label="Findings">
      {findings.map((finding, index) => {
        const { code, severity, message, hint, range } = finding;
        const suggestion = suggestionOf(finding);
        return (
          <li key={index} data-severity={severity}>
            <button type="button" onClick={() => onPick(finding)}>
              <span className="wb-finding-place">
                {severity} · line {range.start.line} · {code}
              </span>
              <span>{message}</span>
              {hint !== undefined && <span className="wb-hint">{hint}</span>}
            </button>
            {suggestion !== undefined && (
              <button type="button" className="wb-take" onClick={() => onTake(finding, suggestion)}>
                Use “{suggestion}”
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
