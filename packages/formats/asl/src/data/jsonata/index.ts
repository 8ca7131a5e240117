export { compileExpression, expressionFault, type JsonataScope } from './expression.ts';
export { compileJsonata } from './template.ts';
