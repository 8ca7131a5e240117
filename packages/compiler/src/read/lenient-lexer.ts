import { Lexer } from '#yaml';
import type * as yaml from 'yaml';

type Step = () => Generator<string, unknown>;

/** The members of the library's lexer that its types keep private. */
interface Members {
  /** The least indentation of the next line of a value. */
  indentNext: number;
  parseFlowCollection: Step;
  parseQuotedScalar: Step;
}

/**
 * A lexer that lets brackets and texts in quotes go on at any indentation. YAML wants them further in than the key, but the
 * parsers of deployment tools do not, and templates with pasted JSON rely on it.
 */
export function lenientLexer(): yaml.Lexer {
  const lexer = new Lexer();
  const members = lexer as unknown as Members;
  const atAnyIndentation = (step: Step): Step =>
    function* () {
      const { indentNext } = members;
      members.indentNext = 0;
      const next = yield* step.call(lexer);
      members.indentNext = indentNext;
      return next;
    };
  members.parseFlowCollection = atAnyIndentation(members.parseFlowCollection);
  members.parseQuotedScalar = atAnyIndentation(members.parseQuotedScalar);
  return lexer;
}
