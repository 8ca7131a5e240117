/**
 * The YAML parser. Its bundle for browsers omits the code that writes YAML and the tags of YAML 1.1: methods and tables of the
 * parser refer to them, so no bundler can leave them out.
 */
export { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';
