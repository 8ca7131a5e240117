export { compileExpression, expressionFault, operandTexts } from './expression.ts';
export type { JsonataScope } from './scope.ts';
export { sourceOf } from './expression.ts';
export { compileJsonata } from './template.ts';
