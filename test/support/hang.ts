import { execFileSync } from 'node:child_process';

/** Stops a Postgres with all its processes, without ending a connection. @returns a function that resumes them */
export function hang(postmaster: number): () => void {
  process.kill(postmaster, 'SIGSTOP'); // first, so that it starts no other
  const pids = [...childrenOf(postmaster), postmaster];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}

function childrenOf(parent: number): number[] {
  const pids = execFileSync('ps', ['-o', 'pid=', '--ppid', String(parent)], { encoding: 'utf8' });
  return pids.trim().split(/\s+/).map(Number);
}
