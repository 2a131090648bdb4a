/** Says what is wrong with arguments: the first sentence of parseArgs, which appends advice on others. */
export function argumentProblem({ message }: Error): string {
  const [sentence = message] = message.split(/(?<=\.) /, 1);
  return sentence;
}
