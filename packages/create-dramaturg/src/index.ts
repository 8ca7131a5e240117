export {
  isName,
  type Kind,
  kindRows,
  kinds,
  newDefinition,
  type NewFile,
} from './definition-template.ts';
export { writeNewFiles } from './main.ts';
