#!/bin/bash
# A long run on a GPU that continues where the job before ended:
#
#   sbatch packaging/slurm/run.sh big.ckpt --size 65536 -g 1e8
#
# Submit it several times with --dependency=singleton, and each job goes on from the checkpoint of the one before.
#SBATCH --job-name=gosper-run
#SBATCH --gpus=1
#SBATCH --cpus-per-task=4
#SBATCH --mem=16G
#SBATCH --time=04:00:00
#SBATCH --signal=INT@120
set -euo pipefail
checkpoint=${1:?file for the checkpoint}
shift
if [[ -e $checkpoint ]]; then
    exec gosper run --resume "$checkpoint" --checkpoint "$checkpoint"
fi
exec gosper run "$@" --checkpoint "$checkpoint"
