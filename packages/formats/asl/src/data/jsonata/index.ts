export { compileExpression, expressionFault } from './expression.ts';
export { operandTexts } from './operands.ts';
export type { JsonataScope } from './scope.ts';
export { sourceOf } from './source.ts';
export { compileJsonata } from './template.ts';
