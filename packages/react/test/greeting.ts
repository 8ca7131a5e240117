/** A plan with one question and a farewell. */
export const greeting = JSON.stringify({
  title: 'A short greeting',
  states: [
    {
      id: 'welcome',
      title: 'Welcome',
      type: 'strict',
      tasks: [
        {
          id: 'greet',
          description: 'Greet',
          instruction: 'Ask for the name',
          deliverables: [{ key: 'name', description: 'The name of the person' }],
        },
      ],
    },
  ],
});
