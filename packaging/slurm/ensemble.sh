#!/bin/bash
# An ensemble as an array of Slurm jobs, on one shared folder:
#
#   sbatch --array=1-100 packaging/slurm/ensemble.sh soups.toml soups
#   gosper ensemble status soups      # what is missing; submit it again, and only that is computed
#   gosper ensemble merge soups       # the tables
#
# With a GPU for each job: --gpus-per-task=1 on the command line of sbatch.
#SBATCH --job-name=gosper
#SBATCH --cpus-per-task=8
#SBATCH --mem=8G
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=INT@60
set -euo pipefail
spec=${1:?file that says what to run} out=${2:?folder for the results}
# exec: Slurm's signal a minute before the end reaches gosper, which saves what is done.
exec gosper ensemble run "$spec" --out "$out" \
    --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet
