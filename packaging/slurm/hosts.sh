#!/bin/bash
# One universe on several nodes, a band on each, that continues where the job before ended:
#
#   sbatch --nodes=8 packaging/slurm/hosts.sh /shared/big --size 1048576 -g 100000
#
# The folder must be seen by all nodes. Submit it several times with --dependency=singleton, and each job goes on from the checkpoint of the one before.
#SBATCH --job-name=gosper-hosts
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --mem=64G
#SBATCH --time=04:00:00
#SBATCH --signal=B:INT@120
set -euo pipefail
folder=${1:?folder for the checkpoint}
shift
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
port=$((20000 + SLURM_JOB_ID % 20000))
if grep -qs '"sha256"' "$folder/checkpoint.json"; then # else no checkpoint is complete yet
    set -- --resume "$folder"
fi
gosper run "$@" --hosts "$SLURM_NNODES" --checkpoint "$folder" --serve "0.0.0.0:$port" --token "$token" &
run=$!
trap 'kill -INT "$run"' INT # Slurm's signal before the end: the run saves what is done
srun --overlap gosper worker --nats "nats://$token@$(hostname):$port" --threads "${SLURM_CPUS_PER_TASK:-1}" --wait 10m --quiet &
workers=$!
until wait "$run"; do
    status=$?
    kill -0 "$run" 2>/dev/null || break # the signal only ended the wait
done
kill "$workers" || true
exit "${status:-0}"
