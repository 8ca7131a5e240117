import jsonata from 'jsonata';

/** A node of the syntax tree of the library. `position` is the offset after its token. */
interface SyntaxNode {
  readonly type: string;
  readonly value?: unknown;
  readonly position?: number;
  lhs?: SyntaxNode;
  rhs?: SyntaxNode;
  readonly procedure?: SyntaxNode;
  readonly arguments?: SyntaxNode[];
  readonly expressions?: SyntaxNode[];
}

interface Operand {
  readonly node: SyntaxNode;
  readonly text: string;
  readonly replace: (node: SyntaxNode) => void;
}

/** No expression can name this function. */
export const operandFunction = 'operand of a condition';

/** The texts of the operands of `and`, `or` and `$not` in an expression, in order. */
export function operandTexts(source: string): readonly string[] {
  return operandsIn(jsonata(source), source).map(({ text }) => text);
}

/** Lets an expression call `operandFunction` with the index and the truth value of each operand that it evaluates. */
export function watchOperands(compiled: jsonata.Expression, source: string): void {
  for (const [index, { node, replace }] of operandsIn(compiled, source).entries())
    replace(call(operandFunction, { type: 'number', value: index }, call('boolean', node)));
}

function call(name: string, ...given: SyntaxNode[]): SyntaxNode {
  return {
    type: 'function',
    value: '(',
    procedure: { type: 'variable', value: name },
    arguments: given,
  };
}

/** The innermost operands. An expression without `and`, `or` and `$not` at its top has none. */
function operandsIn(compiled: jsonata.Expression, source: string): readonly Operand[] {
  const root = compiled.ast() as unknown as SyntaxNode;
  const found: Operand[] = [];
  visit(root, source, undefined);
  return found;

  function visit(
    node: SyntaxNode,
    text: string,
    replace: Operand['replace'] | undefined,
    start = 0,
  ): void {
    const { type, value, lhs, rhs, position = 0, expressions: [inner, ...more] = [] } = node;
    const offset = position - start;
    if (type === 'binary' && (value === 'and' || value === 'or') && lhs && rhs) {
      visit(lhs, text.slice(0, offset - value.length), (each) => (node.lhs = each), start);
      visit(rhs, text.slice(offset), (each) => (node.rhs = each), position);
    } else if (type === 'block' && inner && more.length === 0) {
      const end = text.lastIndexOf(')');
      visit(inner, text.slice(offset, end), (each) => (node.expressions![0] = each), position);
    } else if (isNegation(node)) {
      const end = text.lastIndexOf(')');
      const [negated] = node.arguments!;
      visit(negated!, text.slice(offset, end), (each) => (node.arguments![0] = each), position);
    } else if (replace) found.push({ node, text: text.trim(), replace });
  }
}

function isNegation({ type, procedure, arguments: given }: SyntaxNode): boolean {
  return (
    type === 'function' &&
    procedure?.type === 'variable' &&
    procedure.value === 'not' &&
    given?.length === 1
  );
}
