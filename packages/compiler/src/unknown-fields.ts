import { nearestName } from './did-you-mean.ts';

/** The most names that a sentence lists. */
const mostListed = 20;

/**
 * Describes each unknown field of an object in a sentence: its path, the name that was probably meant, and the known names.
 *
 * @param path where the object is, such as `life`; the fields of the outermost object have no path
 */
export function unknownFields(given: object, known: readonly string[], path = ''): string[] {
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const at = path === '' ? name : `${path}.${name}`;
      const nearest = nearestName(name, known);
      const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
      const rest = known.length > mostListed ? ' and others' : '';
      const listed = known.slice(0, mostListed).join(', ') || 'no fields';
      return `${JSON.stringify(at)} is unknown.${meant} Known: ${listed}${rest}.`;
    });
}
