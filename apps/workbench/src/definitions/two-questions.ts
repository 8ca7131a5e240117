/** A plan with two questions, in one state of a given type. */
export function twoQuestions(type: 'strict' | 'loose'): string {
  const question = (key: string, description: string, values: readonly string[]) => ({
    id: key,
    description,
    deliverables: [{ key, type: 'enum', enum_values: values, description }],
  });
  return JSON.stringify(
    {
      title: `Two questions, ${type}`,
      states: [
        {
          id: 'visit',
          title: 'The visit',
          type,
          tasks: [
            question('room', 'Which room', ['garden', 'library']),
            question('day', 'On which day', ['Monday', 'Tuesday', 'Wednesday']),
          ],
        },
      ],
    },
    null,
    2,
  );
}
