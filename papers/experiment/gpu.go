package experiment

import (
	"errors"

	"github.com/gosper-life/gosper/internal/gpu"
)

// GPUSteps implements the steps of a method that runs on a GPU. It is DeviceTimed.
type GPUSteps struct {
	Device *gpu.Device
	Launch func(n int) error // puts n generations into the queue of the GPU; called inside Do
}

// Step implements Stepper.
func (s GPUSteps) Step(n int) error {
	return s.Device.Do(func() error { return errors.Join(s.Launch(n), s.Device.Wait()) })
}

// StepTimed implements DeviceTimed.
func (s GPUSteps) StepTimed(n int) (seconds float64, err error) {
	err = s.Device.Do(func() error {
		seconds, err = s.Device.Seconds(func() error { return s.Launch(n) })
		return err
	})
	return seconds, err
}
