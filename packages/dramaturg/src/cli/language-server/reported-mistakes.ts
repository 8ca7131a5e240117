import type { Diagnostic as Finding } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import { type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver/node';
import { rangeOf } from './ranges.ts';

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

/** A finding as an editor shows it. The hint is the second line of its message. */
export function reportedMistake(
  { code, severity, message, hint, range, related = [] }: Finding,
  uri: string,
  { showsRelated }: { readonly showsRelated: boolean },
): Diagnostic {
  const lines = [message, ...(hint === undefined ? [] : [hint])];
  return {
    range: rangeOf(range),
    severity: severities[severity],
    code,
    source: 'dramaturg',
    message: lines.map(visible).join('\n'),
    ...(showsRelated &&
      related.length > 0 && {
        relatedInformation: related.map((place) => ({
          location: { uri, range: rangeOf(place.range) },
          message: visible(place.message),
        })),
      }),
  };
}
