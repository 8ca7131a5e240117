export { compileExpression, expressionFault, operandTexts } from './expression.ts';
export type { JsonataScope } from './scope.ts';
export { sourceOf } from './source.ts';
export { compileJsonata } from './template.ts';
