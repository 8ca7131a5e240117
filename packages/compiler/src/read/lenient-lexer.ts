import { Lexer } from 'yaml';

/** The members of the library's lexer that its types keep private. */
interface FlowLexer {
  indentNext: number;
  parseFlowCollection(): Generator<string, unknown>;
}

/**
 * A lexer that lets brackets close at any indentation. YAML wants them further in than the key, but the parsers of deployment
 * tools do not, and templates with pasted JSON rely on it.
 */
export function lenientLexer(): Lexer {
  const lexer = new Lexer();
  const members = lexer as unknown as FlowLexer;
  const parseFlowCollection = members.parseFlowCollection.bind(lexer);
  members.parseFlowCollection = function* () {
    const { indentNext } = members;
    members.indentNext = 0;
    const next = yield* parseFlowCollection();
    members.indentNext = indentNext;
    return next;
  };
  return lexer;
}
